/** Audits of access: keys, credits, limits, allow-lists (D15). */
import { type Audit, audit } from "../audit.ts"
import { type Check, holds, matches, same } from "../check.ts"
import { type Answer, at, execute, executePost, send } from "./call.ts"
import { endpointsOf } from "./endpoints.ts"
import type { Target } from "./target.ts"
import { decimal, isError, succeeds, uuid } from "./wireForms.ts"

const json = { "content-type": "application/json" } as const
const unknownId = "ab".repeat(32)

const unauthorized = (what: string, answer: Answer): ReadonlyArray<Check> => [
  ...isError(what, answer, 401, "Unauthorized"),
  matches(`${what}: www-authenticate`, answer.header("www-authenticate"), /^Bearer\b/)
]

const refusesInvalidKeys = audit<Target>(
  "REST-ERROR-002",
  "MUST",
  "interface.md#authentication/D13",
  "no key, another scheme, an empty, unknown, changed or revoked key is 401, on every path that needs one",
  async (target) => {
    const wrong = `${target.apiKey.slice(0, -1)}${target.apiKey.endsWith("0") ? "1" : "0"}`
    const headers = [
      "",
      "Bearer",
      "Bearer ",
      "Bearer unknown",
      `Basic ${target.apiKey}`,
      target.apiKey,
      `Bearer ${wrong}`,
      `Bearer ${target.apiKey} x`
    ]
    const keys = target.revokedKey === undefined ? [] : [`Bearer ${target.revokedKey}`]
    const body = { json: { execProgramId: target.programs.echo } }
    const checks = endpointsOf(target)
      .filter(({ needsKey }) => needsKey)
      .flatMap(({ method, path }) => {
        const request = { method, path, ...(method === "POST" ? body : {}) }
        return [
          send(target, { ...request, key: null }).then((answer) => unauthorized(`${method} ${path} without a key`, answer)),
          ...[...headers, ...keys].map(async (authorization) =>
            unauthorized(
              `${method} ${path} with ${authorization.slice(0, 16)}…`,
              await send(target, { ...request, headers: { authorization } })
            )
          )
        ]
      })
    return (await Promise.all(checks)).flat()
  }
)

const readsTheSchemeInAnyCase = audit<Target>(
  "REST-ERROR-003",
  "SHOULD",
  "RFC 9110 section 11.1",
  "the scheme Bearer is accepted in any letter case",
  async (target) => {
    const usual = await send(target, { path: "/verify" })
    const answer = await send(target, { path: "/verify", headers: { authorization: `bearer ${target.apiKey}` } })
    return [
      same("status", answer.status, 200),
      matches("projectId", at(answer.json, "projectId"), uuid),
      same("projectId as with Bearer", at(answer.json, "projectId"), at(usual.json, "projectId"))
    ]
  }
)

const refusesWithoutCredits = audit<Target>(
  "REST-ERROR-004",
  "MUST",
  "interface.md#errors/D15",
  "a balance that does not cover the hold is 403 InsufficientCredits, with the required and the remaining credits",
  async (target) => {
    if (target.keyWithoutCredits === undefined) return { skip: "the target has no key without credits" }
    const answer = await execute(target, "echo", {}, target.keyWithoutCredits)
    return [
      ...isError("answer", answer, 403, "InsufficientCredits"),
      matches("details.required", at(answer.json, "details", "required"), decimal),
      same("details.remaining", at(answer.json, "details", "remaining"), "0")
    ]
  }
)

const refusesUnknownPrograms = audit<Target>(
  "REST-ERROR-005",
  "MUST",
  "interface.md#errors/D15",
  "a program that is not deployed is 404 ProgramNotFound, for the execution and for the tally phase, and costs nothing",
  async (target) => {
    const before = (await send(target, { path: "/verify" })).json
    const exec = await execute(target, "echo", { execProgramId: unknownId })
    const tally = await executePost(target, "echo", { tallyProgramId: unknownId })
    const after = (await send(target, { path: "/verify" })).json
    return [
      ...isError("execution program", exec, 404, "ProgramNotFound"),
      ...isError("tally program", tally, 404, "ProgramNotFound"),
      same("remaining credits", at(after, "remainingCreditsSnapshot"), at(before, "remainingCreditsSnapshot"))
    ]
  }
)

const refusesProgramsOffTheList = audit<Target>(
  "REST-ERROR-006",
  "MUST",
  "D15",
  "a program outside the allow-list is 400 ProgramNotAllowed, in either phase, whether it exists or not",
  async (target) => {
    const { programs, restrictedKey } = target
    if (restrictedKey === undefined) return { skip: "the target has no key with an allow-list" }
    const refused = [
      { execProgramId: programs.printing },
      { execProgramId: unknownId },
      { tallyProgramId: programs.printing },
      { tallyProgramId: unknownId }
    ]
    const checks = refused.map(async (query) =>
      isError(JSON.stringify(query), await execute(target, "echo", query, restrictedKey), 400, "ProgramNotAllowed")
    )
    return [...(await Promise.all(checks)).flat(), ...succeeds("the allowed program", await execute(target, "echo", {}, restrictedKey))]
  }
)

const limitsUsage = audit<Target>(
  "REST-ERROR-007",
  "MUST",
  "interface.md#errors/D15",
  "a usage limit that is reached is 429 CreditLimitExceeded, with Retry-After in seconds",
  async (target) => {
    if (target.limitedKey === undefined) return { skip: "the target has no key with a usage limit" }
    const answer = await execute(target, "echo", {}, target.limitedKey)
    return [...isError("answer", answer, 429, "CreditLimitExceeded"), matches("retry-after", answer.header("retry-after"), /^[1-9][0-9]*$/)]
  }
)

const asksForTheKeyFirst = audit<Target>(
  "REST-ERROR-015",
  "SHOULD",
  "interface.md#authentication",
  "without a key nothing about the request is revealed: 401 comes before 400, 404, 413 and 415",
  async (target) => {
    const calls = [
      send(target, { path: "/execute?execProgramId=wrong", key: null }),
      send(target, { path: `/execute?execProgramId=${unknownId}`, key: null }),
      send(target, { path: "/execute", text: "{", headers: json, key: null }),
      send(target, {
        path: "/execute",
        text: "x".repeat(3_000_000),
        headers: { "content-type": "text/plain" },
        key: null
      })
    ]
    return (await Promise.all(calls)).map((answer, index) => same(`call ${index}`, answer.status, 401))
  }
)

const leaksNoInternals = audit<Target>(
  "REST-ERROR-017",
  "MUST",
  "D13",
  "no error contains the key, a file name or a stack trace",
  async (target) => {
    const answers = [
      await send(target, { path: "/verify", headers: { authorization: `Bearer ${target.apiKey}x` } }),
      await execute(target, "echo", { execProgramId: unknownId }),
      await send(target, { path: "/execute", text: "{", headers: json }),
      await execute(target, "trapping", { includeDebugInfo: "true" })
    ]
    return answers.flatMap(({ status, text }, index) => [
      same(`answer ${index}: status`, status, [401, 404, 400, 599][index]),
      holds(`answer ${index}: no key`, !text.includes(target.apiKey), text),
      holds(`answer ${index}: no stack`, !/\bat .*:\d+:\d+|node_modules|file:\/\//.test(text), text)
    ])
  }
)

/** Access. */
export const accessAudits: ReadonlyArray<Audit<Target>> = [
  refusesInvalidKeys,
  readsTheSchemeInAnyCase,
  refusesWithoutCredits,
  refusesUnknownPrograms,
  refusesProgramsOffTheList,
  limitsUsage,
  asksForTheKeyFirst,
  leaksNoInternals
]
