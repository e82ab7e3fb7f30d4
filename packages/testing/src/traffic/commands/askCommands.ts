/** REST requests of a sequence: executions, last results, reports, proxies, and what a key may ask of its project. */
import { ExecuteBody, ExecuteQuery, LastResultBody, LastResultQuery, ReportsQuery } from "@sibyl/core"
import fc from "fast-check"
import type { Abilities, Ask, Who } from "./command.ts"
import { type AnySchema, type Parameters, parametersFor, queryValue } from "./executeParameters.ts"
import { acceptedValue, membersOf } from "./wireValues.ts"

/** Keys of the projects, and a few that are no keys. */
export const whoever = ({ tenants }: Abilities): fc.Arbitrary<Who> =>
  fc.oneof(
    { weight: 20, arbitrary: fc.record({ tenant: fc.nat(tenants - 1), key: fc.nat(2) }) },
    { weight: 1, arbitrary: fc.constantFrom<Who>("nobody", "a stranger", "a garbled key") }
  )

const waits = fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) })

const pairsOf = (parameters: Parameters): ReadonlyArray<readonly [string, string]> =>
  Object.entries(parameters).map(([name, value]) => [name, queryValue(value)] as const)

const asking = (abilities: Abilities, what: fc.Arbitrary<Pick<Ask, "method" | "path"> & Partial<Ask>>): fc.Arbitrary<Ask> =>
  fc.tuple(what, whoever(abilities), waits).map(([ask, who, waits]) => ({
    kind: "ask" as const,
    who,
    query: [],
    headers: {},
    body: undefined,
    ...ask,
    waits
  }))

/** A path below which executions are asked for, with the schemas of its query and its body. */
interface ExecutePath {
  readonly path: string
  readonly query: AnySchema
  readonly body: AnySchema
}

const execute: ExecutePath = { path: "/execute", query: ExecuteQuery, body: ExecuteBody }
const lastResult: ExecutePath = { path: "/execute/last-result", query: LastResultQuery, body: LastResultBody }

const getOf = ({ path, query }: ExecutePath, names: ReadonlyArray<string>, abilities: Abilities): fc.Arbitrary<Ask> =>
  asking(
    abilities,
    parametersFor(query, names, false).map((parameters) => ({ method: "GET", path, query: pairsOf(parameters) }))
  )

/** The headers of a request with a JSON body. */
export const json = { "content-type": "application/json" }

/** Some parameters may be in the query instead; one may be in both, with another value. */
const spread = (parameters: Parameters): fc.Arbitrary<Pick<Ask, "query" | "body">> => {
  const names = Object.keys(parameters).filter((name) => typeof parameters[name] !== "object")
  return fc.tuple(fc.subarray(names, { maxLength: Math.min(2, names.length) }), fc.nat(15)).map(([inQuery, dice]) => ({
    query: pairsOf(Object.fromEntries(inQuery.map((name) => [name, parameters[name] ?? null] as const))),
    body: JSON.stringify(
      Object.fromEntries(Object.entries(parameters).filter(([name]) => !inQuery.includes(name) || (dice === 0 && name === "execInputs")))
    )
  }))
}

const badBodies = fc.constantFrom<Pick<Ask, "headers" | "body">>(
  { headers: json, body: "{" },
  { headers: json, body: '["execProgramId"]' },
  { headers: json, body: "null" },
  { headers: { "content-type": "text/plain" }, body: "{}" }
)

/** With few idempotency keys, so that one comes again: with the same request, and with another. */
const keyed = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.constantFrom("retry-1", "retry-2", "a key").map((key) => ({ "idempotency-key": key })) }
)

const postOf = ({ body, path }: ExecutePath, names: ReadonlyArray<string>, abilities: Abilities): fc.Arbitrary<Ask> =>
  asking(
    abilities,
    fc.oneof(
      {
        weight: 14,
        arbitrary: fc
          .tuple(parametersFor(body, names, true).chain(spread), path === "/execute" ? keyed : fc.constant({}))
          .map(([places, headers]) => ({ method: "POST", path, headers: { ...json, ...headers }, ...places }))
      },
      { weight: 1, arbitrary: badBodies.map((bad) => ({ method: "POST", path, ...bad })) }
    )
  )

/** A request with a JSON body. */
export const postingJson = (abilities: Abilities, path: string, body: fc.Arbitrary<Parameters>): fc.Arbitrary<Ask> =>
  asking(
    abilities,
    body.map((given) => ({ method: "POST", path, headers: json, body: JSON.stringify(given) }))
  )

/** Requests under few idempotency keys. */
const retried = fc.constantFrom<Pick<Ask, "method" | "path" | "headers" | "body">>(
  ...["retry-1", "retry-2"].flatMap((key) =>
    ["a", "slow 25"].map((execInputs) => ({
      method: "POST",
      path: "/execute",
      headers: { ...json, "idempotency-key": key },
      body: JSON.stringify({ execProgramId: "«program echo»", execInputs })
    }))
  )
)

/** One request under an idempotency key and its retries, of which some do not wait for each other. */
export const retriedRequest = (abilities: Abilities): fc.Arbitrary<ReadonlyArray<Ask>> =>
  fc
    .tuple(asking(abilities, retried), fc.array(fc.boolean(), { minLength: 2, maxLength: 4 }))
    .map(([ask, waiting]) => waiting.map((waits) => ({ ...ask, waits })))

const reportValues: Readonly<Record<string, fc.Arbitrary<string>>> = {
  drId: fc.oneof(
    { weight: 8, arbitrary: fc.nat(3).map((nth) => `«drId ${nth}»`) },
    { weight: 1, arbitrary: fc.constantFrom("ab".repeat(32), "0xAB", "") }
  ),
  amount: fc.constantFrom("1", "2", "100", "0", "101", "ten"),
  startDate: fc.constantFrom("2020-01-01", "2020-01-01T00:00:00Z", "yesterday"),
  endDate: fc.constantFrom("2100-01-01", "1577836800000", "-"),
  nextPageId: fc.oneof({ weight: 4, arbitrary: fc.constant("«page 0»") }, { weight: 1, arbitrary: fc.constant("a page") })
}

/** Every parameter of the reports; the request is always named, the others sometimes. */
const reports: fc.Arbitrary<Pick<Ask, "method" | "path" | "query">> = fc
  .tuple(
    ...membersOf(ReportsQuery.ast).map(({ name, type }) => {
      const value = reportValues[String(name)] ?? acceptedValue(type).map(queryValue)
      return fc.tuple(value, fc.nat(4)).map(([given, dice]) => (name === "drId" || dice === 0 ? [[String(name), given] as const] : []))
    })
  )
  .map((pairs) => ({ method: "GET", path: "/data-request-reports", query: pairs.flat() }))

/** The generator point and its double: whose secrets everybody knows; and texts that are no keys. */
const proxies = fc.constantFrom(
  "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
  "02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5",
  "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81799ff",
  "gold"
)

const others = fc.oneof(
  fc.constantFrom("/verify", "/project", "/project", "/info", "/health").map((path) => ({ method: "GET", path })),
  proxies.map((key) => ({ method: "GET", path: `/data-proxy/${key}` })),
  fc.constantFrom(
    { method: "PUT", path: "/execute" },
    { method: "POST", path: "/verify" },
    { method: "DELETE", path: "/execute/last-result" }
  )
)

/** Any REST request. `names`: the programs that may be run. */
export const askCommand = (names: ReadonlyArray<string>, abilities: Abilities): fc.Arbitrary<Ask> =>
  fc.oneof(
    { weight: 8, arbitrary: getOf(execute, names, abilities) },
    { weight: 7, arbitrary: postOf(execute, names, abilities) },
    { weight: 1, arbitrary: asking(abilities, retried) },
    { weight: 3, arbitrary: getOf(lastResult, names, abilities) },
    { weight: 2, arbitrary: postOf(lastResult, names, abilities) },
    { weight: 3, arbitrary: asking(abilities, reports) },
    { weight: 4, arbitrary: asking(abilities, others) }
  )

const modes = fc.constantFrom<ReadonlyArray<readonly [string, string]>>([], [], [["mode", "success"]], [["mode", "last"]])

/** Orders in which a stored result would be seen to be old, or somebody else's. A number is whose key it has: the same, or another one. */
const orders = fc.oneof(
  fc.constantFrom<ReadonlyArray<readonly [kind: string, whose: number]>>(
    [
      ["run", 0],
      ["last", 0],
      ["run", 0],
      ["last", 0]
    ],
    [
      ["run", 0],
      ["last", 0],
      ["last", 1]
    ],
    [
      ["run", 0],
      ["stored", 1],
      ["stored", 0]
    ]
  ),
  fc.array(fc.tuple(fc.constantFrom("run", "stored", "last"), fc.nat(1)), { minLength: 2, maxLength: 5 })
)

/** One request of one or two projects again and again: runs, and questions for what is stored. */
export const repeatedRequest = (names: ReadonlyArray<string>, abilities: Abilities): fc.Arbitrary<ReadonlyArray<Ask>> =>
  fc
    .tuple(
      fc.tuple(whoever(abilities), whoever(abilities)),
      fc.constantFrom("echo", ...names),
      fc.constantFrom("a", "b", "slow 25"),
      modes,
      orders
    )
    .map(([[one, other], program, execInputs, mode, order]) =>
      order.map(([kind, whose]): Ask => {
        const request = [["execProgramId", `«program ${program}»`] as const, ["execInputs", execInputs] as const]
        const query =
          kind === "last" ? [...request, ...mode] : kind === "stored" ? [...request, ["returnLastResult", "true"] as const] : request
        const path = kind === "last" ? lastResult.path : execute.path
        return { kind: "ask", who: whose === 0 ? one : other, method: "GET", path, query, headers: {}, body: undefined, waits: true }
      })
    )
