/** The feed client as a reader would run it: in its own process against a real service, until the service shuts down. */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { startFeedServer } from "../../packages/server/src/testdata/feedServer.ts"

const client = fileURLToPath(new URL("client.js", import.meta.url))

test("prints prices, a failed run's error, and how the connection ended", async () => {
  const server = await startFeedServer((run) => (run === 2 ? 7 : `{"price":${96_000 + run}}`))
  const child = spawn(process.execPath, [client], {
    env: {
      ...process.env,
      // The tests may run with colours; the client's output is compared without them.
      FORCE_COLOR: "0",
      ORACLE_URL: `${server.url.replace("http", "ws")}/ws/v1`,
      ORACLE_KEY: server.key,
      PROGRAM_ID: server.programId
    },
    stdio: ["ignore", "pipe", "inherit"]
  })
  let output = ""
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString()
  })
  const ended = new Promise((resolve) => child.once("close", resolve))
  try {
    await expect.poll(() => output, { timeout: 40_000 }).toContain("\n4 96004\n")
  } finally {
    await server.close()
    await ended
  }
  expect(output.split("\n").slice(0, 5)).toEqual([
    "0 96000",
    "1 96001",
    "2 The execution phase ended with exit code 7.",
    "3 96003",
    "4 96004"
  ])
  expect(output).toMatch(/\nclosed with 1001 the service is closing\n$/)
})
