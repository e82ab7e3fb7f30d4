/** A late answer to a report fails no run; any other error outside of a test does, and so does a missing result. */
import { spawn } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import type { TestModule } from "vitest/node"
import { LateReports } from "./lateReports.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

/** Runs vitest on one file, beside whose only test a promise is rejected with this message. */
const runRejecting = async (message: string): Promise<{ readonly code: number | null; readonly output: string }> => {
  const folder = await mkdtemp(join(tmpdir(), "sibyl-late-"))
  try {
    const config = `import { LateReports } from ${JSON.stringify(join(root, "test/lateReports.ts"))}
export default { test: { globals: true, reporters: ["default", new LateReports()] } }`
    await writeFile(join(folder, "vitest.config.ts"), config)
    const file = `test("passes", async () => {
  void Promise.reject(new Error(${JSON.stringify(message)}))
  await new Promise((resolve) => setTimeout(resolve, 50))
})`
    await writeFile(join(folder, "one.test.ts"), file)
    const child = spawn(process.execPath, [join(root, "node_modules/vitest/vitest.mjs"), "run", "--root", folder], {
      env: { ...process.env, NO_COLOR: "1" },
      stdio: ["ignore", "pipe", "pipe"]
    })
    const said: Array<Buffer> = []
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => said.push(chunk))
    const code = await new Promise<number | null>((resolve) => child.on("close", resolve))
    return { code, output: Buffer.concat(said).toString() }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

it("counts late answers to reports, and fails for every other error", async () => {
  const late = await runRejecting('[vitest-worker]: Timeout calling "onTaskUpdate"')
  expect(late.output).toContain("1 reports of results were answered late.")
  expect([late.code, late.output.includes("1 passed")]).toEqual([0, true])
  const other = await runRejecting('[vitest-worker]: Timeout calling "fetch"')
  expect(other.output).toContain("Unhandled")
  expect(other.code).toBe(1)
})

it("fails the run where a test or a file has no result", () => {
  const codeBefore = process.exitCode
  const module = (state: string, pending: ReadonlyArray<string>) =>
    ({
      moduleId: "one.test.ts",
      state: () => state,
      children: { allTests: () => pending.map((fullName) => ({ fullName })).values() }
    }) as unknown as TestModule
  const codeOf = (...modules: ReadonlyArray<TestModule>): typeof process.exitCode => {
    try {
      process.exitCode = 0
      new LateReports().onTestRunEnd(modules)
      return process.exitCode
    } finally {
      process.exitCode = codeBefore
    }
  }
  expect(codeOf(module("passed", []), module("skipped", []), module("failed", []))).toBe(0)
  expect(codeOf(module("passed", []), module("passed", ["is lost"]))).toBe(1)
  expect(codeOf(module("pending", []))).toBe(1)
})
