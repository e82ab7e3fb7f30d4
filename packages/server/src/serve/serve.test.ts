/** `sibyl serve --demo` as a new user runs it: started, its curl line copied, stopped, started again, on both runtimes. */
import { execFile } from "node:child_process"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { mkdtemp, readFile, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { ExecuteResponse, InfoRecord } from "@sibyl/core"
import { verify } from "@sibyl/core/verify"
import { Schema } from "effect"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { type RuntimeName, StartedServer } from "../testdata/startedServer.ts"

const shell = promisify(execFile)
const runtimes: ReadonlyArray<RuntimeName> = ["node", "bun"]
const ended = /Ctrl-C stops the server/

describe.each(runtimes)("sibyl serve --demo on %s", (runtime) => {
  let folder: string
  let running: Array<StartedServer>

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "sibyl-serve-"))
    running = []
  })
  afterEach(async () => {
    await Promise.all(running.map((server) => server.stop("SIGKILL")))
    await rm(folder, { recursive: true, force: true })
  })

  const start = async (...args: ReadonlyArray<string>): Promise<StartedServer> => {
    const server = new StartedServer(runtime, ["serve", "--demo", "--port", "0", ...args], folder)
    running.push(server)
    await server.until(ended)
    return server
  }

  const field = (server: StartedServer, label: string): string =>
    new RegExp(`^ {2}${label} +(.+)$`, "m").exec(server.output)?.[1] ?? `no ${label} in ${server.output}`

  test("runs a real program immediately, prints everything needed, and its curl line works as printed", async () => {
    const server = await start()
    expect(field(server, "program")).toMatch(/^crypto-price [0-9a-f]{64}$/)
    expect(field(server, "result")).toMatch(/^0x[0-9a-f]{64}$/)
    expect(field(server, "price")).toMatch(/^\$[0-9,]+\.[0-9]{2}$/)
    const priceE8 = BigInt(field(server, "result"))
    expect(Number(field(server, "price").replace(/[$,]/g, ""))).toBeCloseTo(Number(priceE8) / 1e8, 1)
    expect(field(server, "gas")).toMatch(/^execution [0-9,]+, tally [0-9,]+$/)
    expect(field(server, "credits")).toMatch(/^[0-9]+ used, 999,[0-9]{3} remaining$/)
    expect(field(server, "drId")).toMatch(/^[0-9a-f]{64}$/)
    expect(field(server, "signature")).toMatch(/^signature valid, by 0[23][0-9a-f]{64}$/)

    const results = [...server.output.matchAll(/^ {2}result +(\{.+)$/gm)].map(([, json]) => JSON.parse(json ?? "") as unknown)
    expect([...server.output.matchAll(/^ {2}program +([a-z-]+) [0-9a-f]{64}$/gm)].map(([, name]) => name)).toEqual([
      "crypto-price",
      "metals-index",
      "equity-session"
    ])
    expect(results).toMatchObject([{ index: expect.any(Number) }, { active_session: expect.any(String) }])

    const line = /^curl .*$/m.exec(server.output)?.[0] ?? "no curl line"
    const { stdout } = await shell("sh", ["-c", line])
    const answered: unknown = JSON.parse(stdout)
    const response = Schema.decodeUnknownSync(ExecuteResponse)(answered)
    expect(response.data.result).toMatchObject({ price: expect.any(Number) })
    const info = await fetch(`${field(server, "listening")}/info`)
    const { publicKey } = Schema.decodeUnknownSync(InfoRecord)(await info.json())
    expect(verify(answered, { publicKey })).toMatchObject({ ok: true })
    expect((await fetch(field(server, "docs"))).status).toBe(200)
    expect(field(server, "profile")).toBe("specification (clients of the public network want --profile public-network)")
    expect((await fetch(`${field(server, "listening")}/nowhere`)).status).toBe(404)
    const root = await fetch(`${field(server, "listening")}/`)
    expect([root.status, root.url, root.headers.get("content-encoding")]).toEqual([200, field(server, "docs"), "gzip"])
    const [, programId] = field(server, "program").split(" ")
    expect(await root.text()).toContain(`"example":"${programId}"`)
  })

  test("keeps its data: a second start finds project, key, signer, program and balance", async () => {
    const first = await start()
    const before = { signature: field(first, "signature"), program: field(first, "program") }
    const key = await readFile(join(folder, ".sibyl", "demo-key"), "utf8")
    expect((await stat(join(folder, ".sibyl", "demo-key"))).mode & 0o777).toBe(0o600)
    expect((await stat(join(folder, ".sibyl", "sibyl.sqlite"))).mode & 0o077).toBe(0)
    expect(await first.stop("SIGINT")).toEqual({ code: 0, signal: null })

    const second = await start()
    expect({ signature: field(second, "signature"), program: field(second, "program") }).toEqual(before)
    expect(await readFile(join(folder, ".sibyl", "demo-key"), "utf8")).toBe(key)
    expect(field(second, "demo key")).toContain("from an earlier start")
    const remaining = (server: StartedServer): number => {
      const text = /, ([0-9,]+) remaining/.exec(field(server, "credits"))?.[1] ?? ""
      return Number(text.replaceAll(",", ""))
    }
    // The first line shows the balance after its own execution; the first start's other programs ran after that.
    const used = (server: StartedServer): ReadonlyArray<number> =>
      [...server.output.matchAll(/^ {2}credits +([0-9]+) used/gm)].map(([, credits]) => Number(credits))
    const [own = 0] = used(second)
    const others = used(first).slice(1)
    expect(others).toHaveLength(2)
    expect(remaining(second)).toBe(remaining(first) - own - others.reduce((sum, credits) => sum + credits, 0))
    expect(await second.stop("SIGTERM")).toEqual({ code: 0, signal: null })

    const database = await readFile(join(folder, ".sibyl", "sibyl.sqlite"))
    expect(database.includes(key.trim())).toBe(false)
    expect(second.output).not.toMatch(/error|warn/i)
  })

  test("with --live reports in one line that the real price host requires an API key", async () => {
    const host = createServer((_request, response) => response.writeHead(401).end())
    await new Promise<void>((resolve) => void host.listen(0, "127.0.0.1", resolve))
    const { port } = host.address() as AddressInfo
    const override = JSON.stringify({ "hermes.pyth.network": `http://127.0.0.1:${port}` })
    const args = ["serve", "--demo", "--live", "--port", "0", "--set", `outbound.hostOverrides=${override}`]
    const server = new StartedServer(runtime, args, folder)
    running.push(server)
    expect((await server.exit).code).toBe(1)
    expect(server.output).toMatch(/answered with status 401: it wants an API key, which the operator sets in outbound\.hostHeaders/)
    host.close()
  })

  test("reports in one line that executors cannot reach the market simulator", async () => {
    const server = new StartedServer(runtime, ["serve", "--demo", "--port", "0", "--cluster", "nats://127.0.0.1:1"], folder)
    running.push(server)
    expect((await server.exit).code).toBe(1)
    expect(server.output.trim()).toBe(
      "sibyl: --demo with --cluster: executors cannot reach the market simulator of this server; add --live, or use sibyl cluster --demo"
    )
  })

  test("reports in one line that the port is taken", async () => {
    const first = await start()
    const port = new URL(field(first, "listening")).port
    const second = new StartedServer(runtime, ["serve", "--port", port, "--data", "other"], folder)
    running.push(second)
    expect((await second.exit).code).toBe(1)
    expect(second.output.trim()).toBe(`sibyl: port ${port} of 127.0.0.1 is in use; choose another with --port`)
  })
})
