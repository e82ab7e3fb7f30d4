/** The test of random traffic that CONFORMING.md shows, copied as it is, against the server of the demonstration. */
import { spawn } from "node:child_process"
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { auditPrograms } from "@sibyl/testing"
import { afterAll, beforeAll, expect, test } from "vitest"
import { askSibyl } from "./testdata/runSibyl.ts"
import { StartedServer } from "./testdata/startedServer.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))

let folder: string
let server: StartedServer

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sibyl-traffic-"))
  server = new StartedServer("Bun" in globalThis ? "bun" : "node", ["serve", "--demo", "--port", "0"], folder)
  await server.until(/Ctrl-C stops the server/)
  for (const [name, program] of Object.entries(auditPrograms)) {
    await writeFile(join(folder, `${name}.wasm`), program)
    await askSibyl(["deploy", `${name}.wasm`], { cwd: folder })
  }
})
afterAll(async () => {
  await server.stop("SIGTERM")
  await rm(folder, { recursive: true, force: true })
})

/** Runs vitest in the folder, as a user would, and resolves to what it printed. */
const runVitest = (key: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const runtime = "Bun" in globalThis ? ["--bun"] : []
    const args = [...runtime, join(root, "node_modules", "vitest", "vitest.mjs"), "run", "--root", folder]
    const child = spawn(process.execPath, args, {
      cwd: folder,
      env: { ...process.env, ORACLE_KEY: key },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let printed = ""
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (printed += chunk.toString()))
    child.once("error", reject).once("close", (code) => resolve(`${printed}\nexit code ${code}`))
  })

test("passes", { timeout: 300_000 }, async () => {
  const [, url = ""] = /^ {2}listening +(\S+)$/m.exec(server.output) ?? []
  const page = await readFile(join(root, "docs", "CONFORMING.md"), "utf8")
  const [, example = ""] = /```ts\n(import \{ conforms[^]*?)```/.exec(page) ?? []
  expect(example).toContain("http://127.0.0.1:8717")
  expect(example).toContain("numRuns: 20")
  await symlink(join(root, "node_modules"), join(folder, "node_modules"))
  await writeFile(join(folder, "package.json"), '{ "type": "module" }')
  await writeFile(join(folder, "traffic.test.ts"), example.replace("http://127.0.0.1:8717", url).replace("numRuns: 20", "numRuns: 4"))
  const key = (await readFile(join(folder, ".sibyl", "demo-key"), "utf8")).trim()
  const printed = await runVitest(key)
  expect(printed).toContain("1 passed")
  expect(printed).toContain("exit code 0")
})
