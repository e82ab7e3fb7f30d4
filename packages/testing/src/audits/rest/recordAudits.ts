/** Audits of the service's and the project's records, and of the documentation (D8 to D10, D20). */
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { type Audit, audit } from "../audit.ts"
import { holds, keysAre, matches, same } from "../check.ts"
import { at, send } from "./call.ts"
import type { Target } from "./target.ts"
import { decimal, id64, jsonType, uuid, verifyKeys } from "./wireForms.ts"

const isPoint = (hex: string): boolean => {
  try {
    secp256k1.Point.fromHex(hex).assertValidity()
    return true
  } catch {
    return false
  }
}

const isDateOrNull = (value: unknown): boolean => value === null || (typeof value === "string" && !Number.isNaN(Date.parse(value)))

/** How far the service's clock may be from this one. */
const clocksDifferMs = 60_000

/** The list of keys is optional: each has its time, none has ended, and the present key is one of those that sign now. */
const keyListOf = (info: unknown) => {
  const keys = at(info, "keys")
  if (keys === undefined) return []
  const listed: ReadonlyArray<unknown> = Array.isArray(keys) ? keys : []
  const nowMs = Date.now()
  const isListed = (key: unknown): boolean =>
    at(key, "validUntil") === null || nowMs - Date.parse(String(at(key, "validUntil"))) < clocksDifferMs
  const signsNow = (key: unknown): boolean =>
    Date.parse(String(at(key, "activeFrom"))) <= nowMs &&
    (at(key, "retiredAt") === null || nowMs < Date.parse(String(at(key, "retiredAt"))))
  return [
    ...listed.flatMap((key, index) => [
      keysAre(`keys.${index}`, key, ["publicKey", "activeFrom", "retiredAt", "validUntil"]),
      ...["activeFrom", "retiredAt", "validUntil"].map((name) =>
        holds(`keys.${index}.${name}`, isDateOrNull(at(key, name)), at(key, name))
      ),
      holds(`keys.${index} is to be accepted still`, isListed(key), at(key, "validUntil"))
    ]),
    holds(
      "publicKey signs now",
      listed.some((key) => signsNow(key) && at(key, "publicKey") === at(info, "publicKey")),
      keys
    )
  ]
}

const infoMembers = ["publicKey", "version", "serverVersion", "network", "chainId"]

const answersInfo = audit<Target>(
  "REST-INFO-001",
  "MUST",
  "interface.md#get-info/D8",
  "GET /info needs no key and returns the public key, the versions and the network",
  async (target) => {
    const { status, json } = await send(target, { path: "/info", key: null })
    return [
      same("status", status, 200),
      keysAre("members", json, at(json, "keys") === undefined ? infoMembers : [...infoMembers, "keys"]),
      ...keyListOf(json),
      matches("publicKey", at(json, "publicKey"), /^0[23][0-9a-f]{64}$/),
      holds("publicKey is a point of the curve", isPoint(String(at(json, "publicKey")))),
      ...["version", "serverVersion", "network", "chainId"].map((name) => matches(name, at(json, name), /\S/))
    ]
  }
)

const answersHealth = audit<Target>(
  "REST-HEALTH-001",
  "MUST",
  "interface.md#get-health/D9",
  "GET /health needs no key and returns that the service is healthy",
  async (target) => {
    const { status, json } = await send(target, { path: "/health", key: null })
    return [
      same("status", status, 200),
      keysAre("members", json, ["status", "version", "uptimeMs"]),
      same("status", at(json, "status"), "healthy"),
      matches("version", at(json, "version"), /\S/),
      holds("uptimeMs", typeof at(json, "uptimeMs") === "number", at(json, "uptimeMs"))
    ]
  }
)

const answersReady = audit<Target>(
  "REST-READY-001",
  "MUST",
  "D9",
  "GET /ready needs no key and returns that database, workers and signer are ready",
  async (target) => {
    const { status, json } = await send(target, { path: "/ready", key: null })
    return [
      same("status", status, 200),
      keysAre("members", json, ["status", "checks", "problems"]),
      same("status", at(json, "status"), "ready"),
      same("checks", at(json, "checks"), { database: "ok", workers: "ok", signer: "ok" }),
      same("problems", at(json, "problems"), [])
    ]
  }
)

const answersVerify = audit<Target>(
  "REST-VERIFY-001",
  "MUST",
  "interface.md#verify-record/D33",
  "GET /verify returns the project of the key",
  async (target) => {
    const { status, json } = await send(target, { path: "/verify" })
    const expires = at(json, "apiKeyExpiresAt")
    return [
      same("status", status, 200),
      keysAre("members", json, verifyKeys),
      matches("apiKeyId", at(json, "apiKeyId"), /\S/),
      holds("apiKeyExpiresAt is an ISO date or null", isDateOrNull(expires), expires),
      matches("organizationId", at(json, "organizationId"), uuid),
      matches("organizationSlug", at(json, "organizationSlug"), /\S/),
      matches("projectId", at(json, "projectId"), uuid),
      matches("remainingCreditsSnapshot", at(json, "remainingCreditsSnapshot"), decimal),
      matches("usedCreditsSnapshot", at(json, "usedCreditsSnapshot"), decimal)
    ]
  }
)

const answersProject = audit<Target>(
  "REST-PROJECT-001",
  "MUST",
  "interface.md#get-project/D10",
  "GET /project returns credits, usage limits, gas limits and allow-list, of the same project as /verify",
  async (target) => {
    const { status, json } = await send(target, { path: "/project" })
    const verify = (await send(target, { path: "/verify" })).json
    return [
      same("status", status, 200),
      keysAre("members", json, [
        "projectId",
        "organizationId",
        "organizationSlug",
        "credits",
        "usageLimits",
        "gasLimits",
        "allowedPrograms"
      ]),
      ...["projectId", "organizationId", "organizationSlug"].map((name) => same(name, at(json, name), at(verify, name))),
      keysAre("members of credits", at(json, "credits"), ["remaining", "used", "held"]),
      ...["remaining", "used", "held"].map((name) => matches(`credits.${name}`, at(json, "credits", name), decimal)),
      same("credits.remaining", at(json, "credits", "remaining"), at(verify, "remainingCreditsSnapshot")),
      same("credits.used", at(json, "credits", "used"), at(verify, "usedCreditsSnapshot")),
      keysAre("members of gasLimits", at(json, "gasLimits"), ["exec", "tally"]),
      matches("gasLimits.exec", at(json, "gasLimits", "exec"), decimal),
      matches("gasLimits.tally", at(json, "gasLimits", "tally"), decimal),
      same("allowedPrograms", at(json, "allowedPrograms"), null)
    ]
  }
)

const answersRestrictions = audit<Target>(
  "REST-PROJECT-002",
  "MUST",
  "interface.md#get-project/D10",
  "GET /project shows an allow-list as program ids and a usage limit with its used part",
  async (target) => {
    const { limitedKey, restrictedKey } = target
    if (restrictedKey === undefined || limitedKey === undefined) return { skip: "the target has no restricted and no limited key" }
    const restricted = (await send(target, { path: "/project", key: restrictedKey })).json
    const limits = at((await send(target, { path: "/project", key: limitedKey })).json, "usageLimits")
    return [
      same("allowedPrograms", at(restricted, "allowedPrograms"), [target.programs.echo]),
      matches("an allowed program", target.programs.echo, id64),
      keysAre("members of usageLimits", limits, ["periodMs", "limit", "used"]),
      holds("periodMs", Number.isInteger(at(limits, "periodMs")), at(limits, "periodMs")),
      matches("limit", at(limits, "limit"), decimal),
      matches("used", at(limits, "used"), decimal)
    ]
  }
)

const servesTheDocumentation = audit<Target>(
  "REST-DOCS-001",
  "MUST",
  "D20",
  "GET /docs needs no key and returns a page without external resources",
  async (target) => {
    const { header, status, text } = await send(target, { path: "/docs", key: null })
    const loads = text.match(/<(?:script|link|img|iframe)[^>]+(?:src|href)="(?:https?:)?\/\/[^"]*"/gi) ?? []
    return [
      same("status", status, 200),
      matches("content type", header("content-type"), /^text\/html\b/),
      matches("a page", text, /<html/i),
      same("external resources", loads, [])
    ]
  }
)

/** What the interface documents: a path, a method and the statuses that a client may receive there. */
const documented: ReadonlyArray<readonly [path: string, method: string, statuses: ReadonlyArray<string>]> = [
  ["/execute", "get", ["200", "400", "401", "403", "404", "429", "500", "599"]],
  ["/execute", "post", ["200", "400", "401", "403", "404", "413", "415", "429", "500", "599"]],
  ["/info", "get", ["200"]],
  ["/health", "get", ["200"]],
  ["/ready", "get", ["200", "503"]],
  ["/data-proxy/{public_key}", "get", ["200", "400"]],
  ["/verify", "get", ["200", "401"]],
  ["/project", "get", ["200", "401"]]
]

const servesTheDocument = audit<Target>(
  "REST-DOCS-002",
  "MUST",
  "D8/D13/D20",
  "GET /docs/openapi.json needs no key and documents every endpoint with its statuses, under the version of /info",
  async (target) => {
    const { header, json, status } = await send(target, { path: "/docs/openapi.json", key: null })
    const info = (await send(target, { path: "/info", key: null })).json
    return [
      same("status", status, 200),
      matches("content type", header("content-type"), jsonType),
      matches("openapi", at(json, "openapi"), /^3\.\d+\.\d+$/),
      same("version", at(json, "info", "version"), at(info, "version")),
      ...documented.flatMap(([path, method, statuses]) =>
        statuses.map((code) =>
          holds(`${method} ${path} documents ${code}`, at(json, "paths", path, method, "responses", code) !== undefined)
        )
      )
    ]
  }
)

/** Records of the service and of the project, and the documentation. */
export const recordAudits: ReadonlyArray<Audit<Target>> = [
  answersInfo,
  answersHealth,
  answersReady,
  answersVerify,
  answersProject,
  answersRestrictions,
  servesTheDocumentation,
  servesTheDocument
]
