/** `sibyl top` as a command: one look for people and scripts, looks that go on, and what it says where there are no metrics. */
import { execFile } from "node:child_process"
import { createServer, type Server } from "node:http"
import { once } from "node:events"
import { tmpdir } from "node:os"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { runSibyl } from "../testdata/runSibyl.ts"
import { runtimeBinary, StartedServer } from "../testdata/startedServer.ts"
import { names } from "./metricNames.ts"

const cwd = tmpdir()
const bin = fileURLToPath(new URL("../../bin/sibyl.js", import.meta.url))
const runtime = typeof globalThis.Bun === "undefined" ? "node" : "bun"

describe("sibyl top", () => {
  /** What the stand-in of a server answers, by how often it was asked. */
  let answer: (asked: number) => { readonly status?: number; readonly text: string; readonly location?: string }
  let asked: number
  let authorization: string | undefined
  let server: Server
  let url: string

  beforeAll(async () => {
    server = createServer((request, response) => {
      asked += 1
      authorization = request.headers.authorization
      const {
        location,
        status = 200,
        text
      }: ReturnType<typeof answer> = request.url === "/metrics" ? answer(asked) : { status: 404, text: "{}" }
      response.writeHead(status, { "content-type": "text/plain; version=0.0.4", ...(location === undefined ? {} : { location }) }).end(text)
    }).listen(0, "127.0.0.1")
    await once(server, "listening")
    const address = server.address()
    url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
  })
  beforeEach(() => {
    asked = 0
    authorization = undefined
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  const counted = (count: number) => ({ text: `${names.runs}{outcome="success"} ${count}\n${names.memory} 1048576\n` })

  it("with --once --json prints one document of what happened between two looks, and shows its token to the server alone", async () => {
    answer = (at) => counted(at * 1_000)
    const said = await runSibyl(["top", "--url", url, "--interval", "200", "--json"], { cwd, env: { SIBYL_METRICS_TOKEN: "the-token" } })
    expect(said).toMatchObject({ code: 0, stderr: "" })
    const view: { readonly intervalSeconds: number; readonly runs: { readonly perSecond: Readonly<Record<string, number>> } } = JSON.parse(
      said.stdout
    )
    expect(view).toMatchObject({ process: { memoryBytes: 1_048_576 } })
    // 1,000 between the looks, however long they were apart.
    expect((view.runs.perSecond["success"] ?? 0) * view.intervalSeconds).toBeCloseTo(1_000)
    expect([asked, authorization]).toEqual([2, "Bearer the-token"])
    expect(said.stdout).not.toContain("the-token")
  })

  it("prints plain blocks where there is no terminal, and goes on while the server is away", async () => {
    answer = (at) => (at === 3 ? { status: 503, text: "" } : counted(at * 10))
    const child = new StartedServer(runtime, ["top", "--url", url, "--interval", "100"], cwd)
    await child.until(/answered 503[\s\S]*memory +1 MiB[\s\S]*memory +1 MiB/)
    expect(await child.stop("SIGINT")).toEqual({ code: 0, signal: null })
    expect(child.output).toMatch(/^runs +success [\d.,]+\/s$/m)
    expect(child.output).not.toContain("\u001b")
  })

  it("ends when nobody reads what it prints any more", async () => {
    answer = (at) => counted(at * 10)
    const line = `{ "${runtimeBinary(runtime)}" "${bin}" top --url ${url} --interval 100; echo "ended with $?" >&2; } | head -1`
    const { stderr, stdout } = await promisify(execFile)("sh", ["-c", line], { cwd, timeout: 20_000 })
    expect(stdout).toContain(url)
    expect(stderr).toBe("ended with 0\n")
  })

  it("tells a redirect, and an address that cannot be asked, from a server that is down", async () => {
    answer = () => ({ status: 301, text: "", location: "https://sibyl.example/metrics" })
    const redirected = await runSibyl(["top", "--url", url], { cwd })
    expect([redirected.code, redirected.stderr]).toEqual([
      1,
      `sibyl: ${url}/metrics answered 301: it redirects to https://sibyl.example, give that address\n`
    ])
    const broken = await runSibyl(["top", "--url", url, "--token", "the\ntoken"], { cwd })
    expect([broken.code, broken.stderr]).toEqual([
      1,
      `sibyl: ${url}/metrics cannot be asked: an address has no user and no password, a token only printable characters\n`
    ])
  })

  it.each([
    ["metrics are off", () => ({ status: 404, text: "{}" }), /answered 404: no metrics are shown there: the setting metrics.access is off/],
    ["a token is missing", () => ({ status: 401, text: "{}" }), /answered 401: it wants a token/],
    ["it is something else", () => ({ text: "<html></html>" }), /has no metrics in Prometheus's text format/]
  ])("says so when %s", async (_, given, message) => {
    answer = given
    const { code, stderr, stdout } = await runSibyl(["top", "--url", url], { cwd })
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toMatch(message)
  })

  it("refuses an address that is none, a place where nobody listens, and an interval that is too short", async () => {
    const run = (...args: ReadonlyArray<string>) => runSibyl(["top", ...args], { cwd })
    expect(await run("--url", "here")).toMatchObject({ code: 2, stderr: expect.stringContaining("--url must be the address of a server") })
    expect(await run("--url", "http://127.0.0.1:1")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("nothing answers at http://127.0.0.1:1/metrics")
    })
    expect(await run("--interval", "1")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--interval must be from 100 to 3600000, not 1")
    })
    expect(await run("--interval", "3600001")).toMatchObject({ code: 2 })
  })
})
