/** The REST audits of a service that answers everything with something else: what is wrong is told of the service, not of the kit's inside. */
import { programIdOf } from "@sibyl/core"
import { expect, it } from "vitest"
import { restAudits } from "../every/restAudits.ts"
import { auditPrograms } from "../programs/auditPrograms.ts"
import { runAudits } from "../runAudits.ts"
import type { Target } from "./target.ts"

const target = (status: number, body: string): Target => ({
  baseUrl: "http://127.0.0.1:1",
  apiKey: "a key",
  programs: Object.fromEntries(Object.entries(auditPrograms).map(([name, program]) => [name, programIdOf(program)])) as Target["programs"],
  otherTenantKey: "b",
  keyWithoutCredits: "c",
  limitedKey: "d",
  meteredKey: "e",
  restrictedKey: "f",
  revokedKey: "g",
  dataProxy: { publicKey: "02".repeat(33), name: "proxy", fee: "1" },
  programName: "echo",
  settlingMs: 1,
  hasTickets: true,
  hasRecordings: true,
  hasKeyList: true,
  hasProgramRecords: true,
  hasDurableFeeds: true,
  standAlone: true,
  allowedOrigin: "https://listed.example",
  fetch: () => Promise.resolve(new Response(body, { status, headers: { "content-type": "application/json" } }))
})

/** Errors that the kit's own code runs into. */
const internal = /\b(?:Syntax|Range|Type|Reference)Error\b/

it.each([
  [200, "{}"],
  [200, "null"],
  [200, "[]"],
  [200, '"text"'],
  [200, "no JSON"],
  [200, '{"data":{"dataRequest":{},"dataResult":{"drId":"0g"},"signature":"0g"},"publicKey":7,"entries":[{}],"feeds":[null]}'],
  [500, ""]
])("%i with %s", { timeout: 300_000 }, async (status, body) => {
  const { conforms, entries } = await runAudits(target(status, body), restAudits)
  expect(conforms).toBe(false)
  const told = entries.flatMap(({ id, result }) =>
    result.kind === "failed" ? result.failures.map(({ actual }) => `${id}: ${actual}`) : []
  )
  expect(told.length).toBeGreaterThan(100)
  expect(told.filter((line) => internal.test(line))).toEqual([])
})
