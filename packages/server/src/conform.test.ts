/** `sibyl-conform` as its users run it: another process, against a started server, with an operator's file. */
import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { createServer, request as httpRequest, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { soakCount } from "@sibyl/testing/soak"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ownRuntime } from "./crash/testdata/site.ts"
import { OperatedServer } from "./testdata/operatedServer.ts"

const bin = fileURLToPath(new URL("../../testing/bin/sibyl-conform.js", import.meta.url))
const documented = new URL("../../../docs/CONFORMING.md", import.meta.url)
const sibylServer = new URL("../dist/index.js", import.meta.url)

let server: OperatedServer
let folder: string
let operatorFile: string
let apiKey: string

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const conform = (...args: ReadonlyArray<string>): Promise<Ended> =>
  new Promise((resolve) => {
    execFile(process.execPath, [bin, "conform", ...args], { cwd: folder, maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
    )
  })

beforeAll(async () => {
  server = await OperatedServer.start(ownRuntime, "serve", "--set", "limits.pingIntervalMs=5000")
  folder = await mkdtemp(join(tmpdir(), "sibyl-conform-"))
  // The operator's file of the document, with this server's database and the package as built here.
  const [, module = ""] = /```js\n(import \{ openSibyl \}.*?)```/s.exec(await readFile(documented, "utf8")) ?? []
  operatorFile = join(folder, "operator.mjs")
  await writeFile(
    operatorFile,
    module
      .replace('"@sibyl/server"', JSON.stringify(sibylServer.href))
      .replace('".sibyl', JSON.stringify(join(server.folder, ".sibyl")).slice(0, -1))
  )
  const { projectId } = await server.provisioner.createProject({ organizationSlug: "judged" })
  await server.provisioner.grant(projectId, 1_000_000n)
  apiKey = await server.provisioner.issueKey(projectId)
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

const service = (): ReadonlyArray<string> => ["--base-url", server.url, "--api-key", apiKey, "--ping-interval-ms", "5000"]

/** What a service need not have, and Sibyl has: found out by asking. */
const features = ["REST-TICKET", "REST-RECORD", "REST-KEYS", "REST-PROGRAM-", "REST-FEED", "WS-FOLLOW"]
/** Those that are tried every day, and what they need: programs, keys, fresh keys, connections that are dropped. */
const everyday = ["REST-EXEC", "REST-ERROR", ...features, "WS-EXEC", "WS-FEED", "WS-LIVE", "WS-END"]
const isSoak = soakCount({ everyday: 0, full: 1 }) > 0
const chosen = isSoak ? [] : everyday.flatMap((start) => ["--only", start])

it("a conforming server: every audit that can be tried passes, and files for machines say so", { timeout: 600_000 }, async () => {
  const run = await conform(...service(), "--operator", operatorFile, ...chosen, "--junit", "junit.xml", "--json", "report.json")
  expect(run.code, run.stdout + run.stderr).toBe(0)
  const report: {
    readonly conforms: boolean
    readonly audits: ReadonlyArray<{ readonly id: string; readonly result: string }>
  } = JSON.parse(await readFile(join(folder, "report.json"), "utf8"))
  const others = report.audits.filter(({ result }) => result !== "passed").map(({ id }) => id)
  // Its root leads to the documentation, it lists no origins, and who has ended refuses nothing.
  const origins = ["REST-ORIGIN-001", "REST-ORIGIN-002", "REST-ORIGIN-003", "REST-ORIGIN-004"]
  expect(others).toEqual(["REST-ERROR-016", ...(isSoak ? origins : []), "WS-END-001"])
  expect(report.audits.length).toBeGreaterThan(isSoak ? 190 : 60)
  expect(await readFile(join(folder, "junit.xml"), "utf8")).toContain(`tests="${report.audits.length}" failures="0"`)
  expect(run.stdout).toContain(`The service conforms (${others.length} not tried).`)
  expect(run.stderr).toContain(`${report.audits.length}/${report.audits.length} `)
})

it("without an operator, what needs one is skipped with the reason", async () => {
  // REST-ERROR-001 needs no program.
  const run = await conform(...service(), ...["WS-LIVE-004", "REST-ERROR-004", "REST-ERROR-001"].flatMap((id) => ["--only", id]))
  expect(run.stdout).toContain("the target has no key without credits:\n    REST-ERROR-004")
  expect(run.stdout).toContain("a key that expires needs an operator:\n    WS-LIVE-004")
  expect(run.code, run.stdout).toBe(0)
})

it("explains an audit with what is sent and what has to come", async () => {
  const run = await conform("--explain", "ws-exec-001", ...service(), "--operator", operatorFile)
  expect(run.stdout).toContain("Why: the clauses that it shows")
  expect(run.stdout).toMatch(/> \{.*"method":"feed\.execute"/)
  expect(run.stdout).toContain("What had to come, and did")
  expect(run.stdout).not.toContain(apiKey)
  expect(run.code).toBe(0)
})

describe("a gateway that drops a header and hides what a service need not have", () => {
  const hidden = /^\/(?:keys|programs|feeds|tickets|executions)\b/
  let gateway: Server
  let url: string
  beforeAll(async () => {
    gateway = createServer((asked, answer) => {
      const { host: _, ...headers } = asked.headers
      const path = asked.url?.replace(hidden, "/hidden")
      const passed = httpRequest(`${server.url}${path}`, { method: asked.method, headers }, (given) => {
        const { "x-request-id": __, ...kept } = given.headers
        answer.writeHead(given.statusCode ?? 502, kept)
        given.pipe(answer)
      })
      asked.pipe(passed)
    })
    await new Promise<void>((resolve) => gateway.listen(0, "127.0.0.1", resolve))
    url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`
  })
  afterAll(() => {
    gateway.closeAllConnections()
    gateway.close()
  })

  const gated = (): ReadonlyArray<string> => ["--base-url", url, "--api-key", apiKey, "--operator", operatorFile]
  const judged = (...more: ReadonlyArray<string>): Promise<Ended> =>
    conform(...gated(), "--only", "REST-EXEC-001", "--only", "REST-ERROR-005", ...more)

  it("is not asked for what it hides, which the report says", async () => {
    const run = await conform(...gated(), "--only", "REST-EXEC-001", ...features.flatMap((start) => ["--only", start]))
    for (const lack of ["does not list keys", "shows no programs", "has no durable feeds", "has no tickets", "keeps no recordings"])
      expect(run.stdout).toContain(`the service ${lack}:\n    REST-`)
    expect(run.stdout).toMatch(/^All +1 of \d+, \d+ skipped/m)
    expect(run.code, run.stdout).toBe(0)
    // Who says that it is there is judged by it.
    const operator = join(folder, "keys.json")
    await writeFile(operator, '{ "hasKeyList": true }')
    const red = await conform("--base-url", url, "--api-key", apiKey, "--operator", operator, "--only", "REST-KEYS")
    expect(red.code, red.stdout).toBe(1)
  })

  it("is red with what was found, and green with a waiver in force", async () => {
    const red = await judged()
    expect(red.code).toBe(1)
    expect(red.stdout).toContain("x-request-id")
    expect(red.stdout).toContain("< 404 ")
    expect(red.stdout).toContain("The service does not conform.")
    const waiver = { id: "REST-ERROR-005", reason: "the gateway drops it", until: "2999-12-31" }
    await writeFile(join(folder, "waivers.json"), JSON.stringify([waiver]))
    const waived = await judged("--waivers", "waivers.json")
    expect(waived.code, waived.stdout).toBe(0)
    await writeFile(join(folder, "waivers.json"), JSON.stringify([{ ...waiver, until: "2026-01-01" }]))
    const late = await judged("--waivers", "waivers.json")
    expect(late.code).toBe(1)
    expect(late.stderr).toContain("The waiver of REST-ERROR-005 ended on 2026-01-01")
  })
})

it.each([
  ["a key that is refused", () => ["--base-url", server.url, "--api-key", "sibyl_local_0_0"], "401"],
  ["an address where nothing listens", () => ["--base-url", "http://127.0.0.1:1", "--api-key", "key"], "cannot be prepared"],
  ["an operator's file that is not there", () => [...service(), "--operator", "nowhere.mjs"], "--operator nowhere.mjs"],
  ["a report without its folder", () => [...service(), "--junit", "none/a.xml"], "--junit none/a.xml: there is no folder none"],
  ["a waiver of no audit", () => [...service(), "--waivers", "bad.json"], "id must be the id of an audit"],
  ["an id that no audit has", () => ["--explain", "REST-NONE-001"], "there is no audit REST-NONE-001"],
  ["a choice of nothing", () => [...service(), "--only", "NONE"], "no audit has an id"]
] as const)("%s ends with 2 and says so", async (_, args, says) => {
  await writeFile(join(folder, "bad.json"), '[{ "id": "X", "reason": "y", "until": "2027-01-01" }]')
  const run = await conform(...args())
  expect(run.stderr).toContain(says)
  expect(run.stderr).not.toContain("    at ")
  expect(run.code).toBe(2)
})

it("writes its programs with their ids, for deployment by hand", async () => {
  const run = await conform("--write-programs", "programs")
  expect(run.stdout).toMatch(/^[0-9a-f]{64} {2}programs\/echo\.wasm$/m)
  const echo = await readFile(join(folder, "programs", "echo.wasm"))
  expect(await server.provisioner.deploy(echo)).toBe(/^([0-9a-f]{64}) {2}programs\/echo/m.exec(run.stdout)?.[1])
})
