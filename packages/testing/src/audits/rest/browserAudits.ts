/** Audits of what lets browsers in: tickets in place of keys (D52), and pages of other origins (D53). */
import { type Audit, audit, type Findings } from "../audit.ts"
import { type Check, holds, keysAre, matches, oneOf, same } from "../check.ts"
import { type Answer, at, execute, send } from "./call.ts"
import type { Target } from "./target.ts"
import { isError, refusesParameter, succeeds } from "./wireForms.ts"

const ask = (target: Target, wish: object, key?: string): Promise<Answer> =>
  send(target, { path: "/tickets", json: wish, ...(key === undefined ? {} : { key }) })

const foreignOrigin = "https://foreign.example"

const textOf = (made: Answer): string => String(at(made.json, "ticket"))

const verify = (target: Target, key: string): Promise<Answer> => send(target, { path: "/verify", key })

const ofTickets = (id: string, title: string, body: (target: Target) => Promise<Findings>): Audit<Target> =>
  audit<Target>(id, "MUST", "D52", title, async (target) =>
    target.hasTickets === true ? body(target) : { skip: "the service has no tickets" }
  )

const makesTickets = ofTickets("REST-TICKET-001", "POST /tickets makes a ticket that no cache keeps", async (target) => {
  const made = await ask(target, {})
  return [
    same("status", made.status, 201),
    keysAre("members", made.json, ["ticket", "ticketId", "expiresAt", "subprotocols"]),
    matches("ticket", textOf(made), /^[0-9A-Za-z_-]{40,}$/),
    matches("expiresAt", at(made.json, "expiresAt"), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/),
    same("cache-control", made.header("cache-control"), "no-store"),
    ...succeeds("a run with it", await execute(target, "echo", {}, textOf(made)))
  ]
})

const countsUses = ofTickets(
  "REST-TICKET-002",
  "a ticket is good for its uses, however many come at once, and then 401",
  async (target) => {
    const ticket = textOf(await ask(target, { maxUses: 2 }))
    const answers = await Promise.all(Array.from({ length: 5 }, () => verify(target, ticket)))
    const refused = answers.filter(({ status }) => status !== 200)
    return [
      same("accepted", answers.length - refused.length, 2),
      ...refused.flatMap((answer) => isError("one more", answer, 401, "Unauthorized"))
    ]
  }
)

const keepsItsScope = ofTickets(
  "REST-TICKET-003",
  "what a ticket does not allow is 403 and takes no use; a ticket makes no tickets and does not read the project",
  async (target) => {
    const ticket = textOf(await ask(target, { allow: ["read"] }))
    const ofFeeds = textOf(await ask(target, { allow: ["feeds"] }))
    const narrow = textOf(await ask(target, { programs: [target.programs.echo], maxUses: 2 }))
    return [
      ...isError("a run", await execute(target, "echo", {}, ofFeeds), 403, "OutsideTicket"),
      ...isError("another ticket", await ask(target, {}, ticket), 403, "OutsideTicket"),
      ...isError("the project", await send(target, { path: "/project", key: ticket }), 403, "OutsideTicket"),
      same("its use is left", (await verify(target, ticket)).status, 200),
      ...isError("another program", await execute(target, "failing", {}, narrow), 403, "OutsideTicket"),
      ...succeeds("its program", await execute(target, "echo", {}, narrow))
    ]
  }
)

const keepsItsBudget = ofTickets(
  "REST-TICKET-004",
  "a run that a ticket's budget does not cover is 403, with the ticket's id",
  async (target) => {
    const made = await ask(target, { maxUses: 5, maxCredits: "1" })
    const answer = await execute(target, "echo", {}, textOf(made))
    return [
      ...isError("a run", answer, 403, "InsufficientCredits"),
      same("ticketId", at(answer.json, "details", "ticketId"), at(made.json, "ticketId"))
    ]
  }
)

const refusesWrongWishes = ofTickets("REST-TICKET-005", "a wish that breaks a rule is 400 and names its member", async (target) => {
  const wishes: Readonly<Record<string, unknown>> = {
    maxUses: 0,
    expiresInMs: 1,
    allow: ["all"],
    maxCredits: "-1",
    origins: ["not an origin"]
  }
  const checks = Object.entries(wishes).map(async ([name, value]) =>
    refusesParameter(`${name} ${JSON.stringify(value)}`, await ask(target, { [name]: value }), name)
  )
  return (await Promise.all(checks)).flat()
})

const ends = ofTickets("REST-TICKET-006", "a ticket that is over, or was changed, is 401", async (target) => {
  const expiresInMs = 1_000
  const ticket = textOf(await ask(target, { maxUses: 1_000, expiresInMs }))
  const other = `${ticket.slice(0, -1)}${ticket.endsWith("0") ? "1" : "0"}`
  const deadline = performance.now() + expiresInMs + (target.settlingMs ?? 20_000)
  const first = await verify(target, ticket)
  let answer = first
  // Counted when a request is sent: one that was in time may be answered after the deadline.
  let sentAt = 0
  while (answer.status === 200 && sentAt < deadline) {
    // Its uses must last longer than its time.
    await new Promise((resolve) => setTimeout(resolve, 50))
    sentAt = performance.now()
    answer = await verify(target, ticket)
  }
  return [
    // On a slow machine it may be over before it is used.
    holds("it was accepted, or over", first.status === 200 || first.status === 401, first.status),
    ...isError("over", answer, 401, "Unauthorized"),
    ...isError("changed", await verify(target, other), 401, "Unauthorized")
  ]
})

const keepsItsOrigins = ofTickets(
  "REST-TICKET-007",
  "a ticket with origins is 403 from a page of another origin and without one, which takes no use",
  async (target) => {
    const origin = "https://of-the-ticket.example"
    const ticket = textOf(await ask(target, { origins: [origin], maxUses: 1 }))
    const from = (headers: Readonly<Record<string, string>>): Promise<Answer> => send(target, { path: "/verify", key: ticket, headers })
    return [
      ...isError("another origin", await from({ origin: foreignOrigin }), 403, "OutsideTicket"),
      ...isError("no origin", await from({}), 403, "OutsideTicket"),
      same("its origin", (await from({ origin })).status, 200),
      ...isError("its use is taken", await from({ origin }), 401, "Unauthorized")
    ]
  }
)

const ofOrigins = (
  id: string,
  title: string,
  body: (target: Target, allowedOrigin: string) => Promise<ReadonlyArray<Check>>
): Audit<Target> =>
  audit<Target>(id, "MUST", "D53", title, async (target) =>
    target.allowedOrigin === undefined ? { skip: "no origin is allowed" } : body(target, target.allowedOrigin)
  )

const preflight = (target: Target, path: string, origin: string): Promise<Answer> =>
  send(target, { method: "OPTIONS", path, key: null, headers: { origin, "access-control-request-method": "POST" } })

const listOf = (answer: Answer, name: string): ReadonlyArray<string> =>
  (answer.header(name) ?? "").split(",").map((each) => each.trim().toLowerCase())

const includes = (answer: Answer, header: string, wanted: ReadonlyArray<string>): ReadonlyArray<Check> =>
  wanted.map((each) => holds(`${header} has ${each}`, listOf(answer, header).includes(each), answer.header(header)))

const answersPreflights = ofOrigins(
  "REST-ORIGIN-001",
  "preflights of an allowed origin are answered on every path",
  async (target, origin) => {
    const paths = ["/execute", "/data-request-reports", ...(target.hasTickets === false ? [] : ["/tickets"])]
    const checks = paths.map(async (path) => {
      const answer = await preflight(target, path, origin)
      return [
        same(`${path}: status`, answer.status, 200),
        same(`${path}: allowed origin`, answer.header("access-control-allow-origin"), origin),
        ...includes(answer, "access-control-allow-headers", ["authorization", "content-type", "idempotency-key"])
      ]
    })
    return [
      ...(await Promise.all(checks)).flat(),
      ...includes(await preflight(target, "/execute", origin), "access-control-allow-methods", ["get", "post"])
    ]
  }
)

const keepsOthersOut = ofOrigins(
  "REST-ORIGIN-002",
  "another origin's preflight is 405, and its pages read only what takes no key",
  async (target) => {
    const refused = await preflight(target, "/execute", foreignOrigin)
    const answer = await send(target, { path: "/verify", headers: { origin: foreignOrigin } })
    const info = await send(target, { path: "/info", key: null, headers: { origin: foreignOrigin } })
    return [
      same("preflight", refused.status, 405),
      same("allowed origin of the preflight", refused.header("access-control-allow-origin"), null),
      same("status of what takes a key", answer.status, 200),
      same("allowed origin of what takes a key", answer.header("access-control-allow-origin"), null),
      oneOf("/info is for everyone: allowed origin", info.header("access-control-allow-origin"), ["*", foreignOrigin])
    ]
  }
)

const letsRead = ofOrigins(
  "REST-ORIGIN-003",
  "pages of an allowed origin may read answers and what their headers say",
  async (target, origin) => {
    const answer = await send(target, { path: "/verify", headers: { origin } })
    return [
      same("status", answer.status, 200),
      same("allowed origin", answer.header("access-control-allow-origin"), origin),
      same("credentials of the browser", answer.header("access-control-allow-credentials"), null),
      ...includes(answer, "access-control-expose-headers", ["retry-after", "idempotency-replayed", "x-request-id"]),
      ...includes(answer, "vary", ["origin"])
    ]
  }
)

const letsReadErrors = ofOrigins(
  "REST-ORIGIN-004",
  "pages of an allowed origin may read refusals, too: 400, 401, 404 and 405",
  async (target, origin) => {
    const headers = { origin }
    const refusals: ReadonlyArray<readonly [status: number, answer: Answer]> = [
      [400, await send(target, { path: "/execute", headers })],
      [401, await send(target, { path: "/verify", key: "unknown", headers })],
      [404, await send(target, { path: "/execute", query: { execProgramId: "ab".repeat(32) }, headers })],
      [405, await send(target, { method: "PUT", path: "/project", headers })]
    ]
    return refusals.flatMap(([status, answer]) => [
      same(`${status}: status`, answer.status, status),
      same(`${status}: allowed origin`, answer.header("access-control-allow-origin"), origin),
      ...includes(answer, "vary", ["origin"])
    ])
  }
)

/** The audits of tickets and origins. */
export const browserAudits: ReadonlyArray<Audit<Target>> = [
  makesTickets,
  countsUses,
  keepsItsScope,
  keepsItsBudget,
  refusesWrongWishes,
  ends,
  keepsItsOrigins,
  answersPreflights,
  keepsOthersOut,
  letsRead,
  letsReadErrors
]
