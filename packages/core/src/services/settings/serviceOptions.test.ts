/** Options that a compiler would refuse are refused by name, before anything is built. */
import { Effect, Layer } from "effect"
import { expect, test } from "vitest"
import { layerService, openService } from "../../edge/service.ts"
import { InvalidOption } from "../../domain/settings/invalidOption.ts"
import { resolveOptions } from "./serviceOptions.ts"

const network = { name: "local", chainId: "local-1" }

test.each<[option: string, options: unknown]>([
  ["options", undefined],
  ["options", "local"],
  ["limit", { network, limit: {} }],
  ["allowedOrigin", { network, allowedOrigin: [] }],
  ["profil", { network, profil: "public-network" }],
  ["profile", { network, profile: "publicnetwork" }],
  ["payloadField", { network, payloadField: "payload" }],
  ["lastResultRefresh", { network, lastResultRefresh: true }],
  ["allowedOrigins", { network, allowedOrigins: "https://a.example" }],
  ["debugBeside", { network, debugBeside: "yes" }],
  ["keepRecordings", { network, keepRecordings: 1 }],
  ["retentionMs", { network, retentionMs: Number.NaN }],
  ["retentionMs", { network, retentionMs: -1 }],
  ["reportsPerProject", { network, reportsPerProject: 0 }],
  ["maxRunsInFlight", { network, maxRunsInFlight: Number.NaN }],
  ["maxRunsInFlight", { network, maxRunsInFlight: null }],
  ["network", {}],
  ["network", { network: "local" }],
  ["network.name", { network: { chainId: "local-1" } }],
  ["network.chainId", { network: { name: "local" } }],
  ["network.chain", { network: { ...network, chain: "a" } }],
  ["limits.foo", { network, limits: { foo: 1 } }]
])("%s is refused in %j", async (option, options) => {
  const given = options as Parameters<typeof resolveOptions>[0]
  expect(() => resolveOptions(given)).toThrow(expect.objectContaining({ _tag: "InvalidOption", option }))
  // The check comes before the ports: none of them is built.
  const ports = Layer.effectDiscard(Effect.die("built")) as unknown as Parameters<typeof openService>[1]
  await expect(openService(given, ports)).rejects.toMatchObject({ _tag: "InvalidOption", option })
  expect(() => layerService(given, ports)).toThrow(InvalidOption)
})

test("what is left out has its default", () => {
  const { allowedOrigins, limits, payloadField } = resolveOptions({ network })
  expect([allowedOrigins, payloadField, limits.requestBytes]).toEqual([[], "servicePayload", 2_097_152])
})
