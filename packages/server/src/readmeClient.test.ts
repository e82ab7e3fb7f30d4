/** The README's example of the client, copied as it is (as JavaScript, which Node 20 needs), against the service that the README starts. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { transform } from "esbuild"
import { afterAll, beforeAll, expect, test } from "vitest"
import { askSibyl } from "./testdata/runSibyl.ts"
import { StartedServer } from "./testdata/startedServer.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))

let folder: string
let server: StartedServer
let reader: ChildProcess | undefined

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sibyl-readme-"))
  server = new StartedServer("Bun" in globalThis ? "bun" : "node", ["serve", "--demo", "--port", "0"], folder)
  await server.until(/Ctrl-C stops the server/)
})
afterAll(async () => {
  reader?.kill("SIGKILL")
  await server.stop("SIGTERM")
  await rm(folder, { recursive: true, force: true })
})

test("prints a price whose signature is valid, then those of a feed", async () => {
  const [, url = ""] = /^ {2}listening +(\S+)$/m.exec(server.output) ?? []
  const examples = (await (await fetch(`${url}/console/examples.json`)).json()) as ReadonlyArray<{
    readonly name: string
    readonly execProgramId: string
  }>
  const price = examples.find(({ name }) => name === "crypto-price")
  await askSibyl(["program", "name", "v1.prices.acme", price?.execProgramId ?? ""], { cwd: folder })
  const [, example = ""] = /```ts\n(import \{ createClient, [^]*?)```/.exec(await readFile(join(root, "README.md"), "utf8")) ?? []
  expect(example).toContain("http://127.0.0.1:8717")
  const { code } = await transform(example, { loader: "ts" })
  const key = (await readFile(join(folder, ".sibyl", "demo-key"), "utf8")).trim()
  const inline = "Bun" in globalThis ? ["-e"] : ["--input-type=module", "-e"]
  let printed = ""
  reader = spawn(process.execPath, [...inline, code.replace("http://127.0.0.1:8717", url)], {
    cwd: root,
    env: { ...process.env, ORACLE_KEY: key },
    stdio: ["ignore", "pipe", "pipe"]
  })
  for (const stream of [reader.stdout, reader.stderr]) stream?.on("data", (chunk: Buffer) => (printed += chunk.toString()))
  await expect.poll(() => printed, { timeout: 40_000 }).toMatch(/^[\d.]+ true\n0 [\d.]+\n1 [\d.]+\n2 [\d.]+\n/)
})
