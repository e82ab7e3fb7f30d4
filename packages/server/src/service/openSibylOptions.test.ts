/** What an embedder gives wrongly is refused by name. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { InvalidOption, StoreUnavailable } from "@sibyl/core"
import { afterAll, describe, expect, it } from "vitest"
import { openSibyl } from "./openSibyl.ts"

const folder = mkdtempSync(join(tmpdir(), "sibyl-options-"))
const database = join(folder, "oracle.sqlite")

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const refusalOf = (options: object): Promise<unknown> =>
  openSibyl({ database, ...options }).then(
    async (sibyl) => {
      await sibyl.close()
      return "opened"
    },
    (error: unknown) => (error instanceof InvalidOption ? error.option : error)
  )

const wrong: ReadonlyArray<readonly [option: string, options: object]> = [
  ["logLevel", { logLevel: "verbose" }],
  ["network.name", { network: { name: "Not Valid!", chainId: "c" } }],
  ["network.chainId", { network: { name: "local" } }],
  ["network", { network: null }],
  ["network", { network: "local" }],
  ["tariff", { tariff: null }],
  ["limits", { limits: 5 }],
  ["limits", { limits: null }],
  ["cluster", { cluster: null }],
  ["cluster.servers", { cluster: { servers: ["nats://127.0.0.1:1"] } }],
  ["cluster.nats", { cluster: {} }],
  ["feedRelay", { feedRelay: {} }],
  ["observing", { observing: 5 }],
  ["metrics", { metrics: "false" }],
  ["logRequests", { logRequests: "false" }],
  ["exampleRequests", { exampleRequests: {} }],
  ["outbound.allowHosts", { outbound: { allowHosts: "a.example" } }],
  ["limits.requestBytes", { limits: { requestBytes: Number.NaN } }],
  ["limits.reqBytes", { limits: { reqBytes: 1 } }],
  ["maxRunsInFlight", { maxRunsInFlight: 0 }],
  ["outbound.allowHosts", { outbound: { allowHosts: ["https://a.example"] } }],
  ["outbound.hostOverrides", { outbound: { hostOverrides: { "a.example": "nowhere" } } }],
  ["outbound.dnsServers", { outbound: { dnsServers: ["dns.example"] } }],
  ["outbound.extraCaPem", { outbound: { extraCaPem: ["none"] } }],
  ["workers", { workers: Number.NaN }],
  ["workerMemoryMib", { workerMemoryMib: 1 }],
  ["isolation", { isolation: "vm" }],
  ["profile", { profile: "public" }],
  ["payloadField", { payloadField: "payload" }],
  ["allowedOrigins", { allowedOrigins: "https://a.example" }],
  ["allowedOrigins", { allowedOrigins: ["https://a.example/x"] }],
  ["tariff.gasPerCredit", { tariff: { gasPerCredit: 0n } }],
  ["tariff.baseCredits", { tariff: { baseCredits: -1n } }],
  ["tariff.baseCredits", { tariff: { baseCredits: 1 } }],
  ["tariff.base", { tariff: { base: 1n } }],
  ["database", { database: "mysql://a/b" }],
  ["database", { database: undefined }],
  ["databse", { databse: "a" }],
  ["outbund", { outbund: {} }],
  ["outbound.hostOverride", { outbound: { hostOverride: {} } }]
]

describe("openSibyl", () => {
  it.each(wrong)("refuses a wrong %s", async (option, options) => {
    expect(await refusalOf(options)).toBe(option)
  })

  it("takes what is undefined as not given", async () => {
    expect(await refusalOf({ workers: undefined, limits: { connectionsPerKey: undefined }, tariff: { baseCredits: undefined } })).toBe(
      "opened"
    )
  })

  it("offers projects, of which it refuses a name that is none", async () => {
    const sibyl = await openSibyl({ database: join(folder, "projects.sqlite"), workers: 1 })
    const project = { organizationSlug: "acme", credit: 5n }
    const refused = { _tag: "InvalidOption", message: "credit: is no option; did you mean credits?" }
    await expect(sibyl.ensureProject({ ...project, keyFile: join(folder, "the.key") })).rejects.toMatchObject(refused)
    await expect(sibyl.createProject(project)).rejects.toMatchObject({ _tag: "InvalidOption", option: "credit" })
    await sibyl.close()
  })

  it("offers calls, which refuse what is missing, and a name that is none, such as an expiry that would never come", async () => {
    const sibyl = await openSibyl({ database: join(folder, "calls.sqlite"), workers: 1 })
    const { projectId } = await sibyl.createProject({ organizationSlug: "acme" })
    const { apiKeyId } = await sibyl.issueKey(projectId)
    // As code without types calls them.
    const calls = sibyl as unknown as Readonly<Record<string, (...given: ReadonlyArray<unknown>) => Promise<unknown>>>
    const refused: ReadonlyArray<readonly [call: string, given: ReadonlyArray<unknown>, option: string]> = [
      ["deploy", [], "program"],
      ["deploy", ["module.wasm"], "program"],
      ["nameProgram", ["v1.prices.acme"], "programId"],
      ["nameProgram", ["v1.prices.acme", "00".repeat(32), 5], "projectId"],
      ["createProject", [], "options"],
      ["ensureProject", [], "options"],
      ["ensureProject", [{ organizationSlug: "acme" }], "keyFile"],
      ["ensureProject", [{ organizationSlug: "acme", keyFile: "" }], "keyFile"],
      ["issueKey", [], "projectId"],
      ["issueKey", [projectId, { expiresAt: 1 }], "expiresAt"],
      ["issueKey", [projectId, null], "options"],
      ["rotateKey", [], "apiKeyId"],
      ["rotateKey", [apiKeyId], "options"],
      ["rotateKey", [apiKeyId, { overlapms: 1 }], "overlapms"],
      ["revokeKey", [], "apiKeyId"],
      ["revokeKey", [{ apiKeyId }], "apiKeyId"],
      ["grant", [], "projectId"],
      ["withdraw", [], "projectId"],
      ["registerProxy", [], "options"],
      ["registerProxy", [{ publikKey: "02" }], "publikKey"]
    ]
    for (const [call, given, option] of refused) {
      await expect(calls[call]?.(...given), `${call}(${JSON.stringify(given)})`).rejects.toMatchObject({ _tag: "InvalidOption", option })
    }
    await expect(openSibyl(...([] as unknown as Parameters<typeof openSibyl>))).rejects.toMatchObject({ option: "options" })
    await sibyl.close()
  })

  it("rejects with the error itself where the database does not answer", async () => {
    expect(await refusalOf({ database: "postgres://nobody:secret@127.0.0.1:1/none" })).toBeInstanceOf(StoreUnavailable)
  })
})
