/** The laws of tickets: each use is taken once, a budget is never overdrawn, what is spent is forgotten (D52). */
import { type Project, type Provisioning, type TicketAttempt, type TicketRecord, Tickets } from "@sibyl/core"
import { ticketKeptMs } from "@sibyl/core/internal"
import { Effect, Exit, type Layer } from "effect"
import { holdsThat, isEqual, type Law } from "./form/law.ts"
import { type LawBody, storeLaws } from "./form/storeLaws.ts"
import { fundedProject, lawStartMs } from "./form/stores.ts"

type Needs = Tickets | Provisioning
type Body = LawBody<Needs>

const hash = "ab".repeat(32)
const manyTickets = 1_000

const ticketOf = ({ projectId }: Project, ticketId: string, more: Partial<TicketRecord> = {}): TicketRecord => {
  const expiresAtMs = lawStartMs + 60_000
  return {
    ticketId,
    projectId,
    apiKeyId: "0123456789ab",
    hash,
    allow: ["execute", "feeds"],
    programs: null,
    origins: null,
    expiresAtMs,
    usesLeft: 1,
    creditsLeft: null,
    keptUntilMs: expiresAtMs,
    ...more
  }
}

const attemptOn = (ticketId: string, more: Partial<TicketAttempt> = {}): TicketAttempt => ({
  ticketId,
  hash,
  scopes: ["feeds"],
  origin: null,
  ...more
})

const kindOf = (attempt: TicketAttempt) => Effect.flatMap(Tickets, (tickets) => Effect.map(tickets.use(attempt), ({ kind }) => kind))

const issued = (ticket: TicketRecord) => Effect.flatMap(Tickets, (tickets) => tickets.issue(ticket, manyTickets))

const singleUse: Body = () =>
  Effect.gen(function* () {
    const project = yield* fundedProject(0n)
    yield* issued(ticketOf(project, "one"))
    yield* issued(ticketOf(project, "three", { usesLeft: 3 }))
    const attempts = Array.from({ length: 40 }, (_, at) => kindOf(attemptOn(at % 2 === 0 ? "one" : "three")))
    const kinds = yield* Effect.all(attempts, { concurrency: "unbounded" })
    const opened = (parity: number) => kinds.filter((kind, at) => at % 2 === parity && kind === "opened").length
    yield* isEqual([opened(0), opened(1)], [1, 3], "uses that are taken of 20 attempts on each")
    yield* isEqual(kinds.filter((kind) => kind === "refused").length, 36, "the others")
  })

const termsCome: Body = () =>
  Effect.gen(function* () {
    const tickets = yield* Tickets
    const project = yield* fundedProject(0n)
    const whole = ticketOf(project, "whole", {
      usesLeft: 2,
      programs: ["ab".repeat(32)],
      origins: ["https://app.example"],
      creditsLeft: 10n ** 29n
    })
    yield* issued(whole)
    const verdict = yield* tickets.use(attemptOn("whole", { origin: "https://app.example" }))
    const kept = { usesLeft: 1, keptUntilMs: lawStartMs + ticketKeptMs }
    yield* isEqual(verdict, { kind: "opened", record: { ...whole, ...kept } }, "the ticket with all it allows")
  })

const outside: Body = () =>
  Effect.gen(function* () {
    const tickets = yield* Tickets
    const project = yield* fundedProject(0n)
    yield* issued(ticketOf(project, "narrow", { origins: ["https://app.example"] }))
    const use = (more: Partial<TicketAttempt>) => tickets.use(attemptOn("narrow", more))
    yield* isEqual(yield* use({ scopes: ["read"] }), { kind: "outside", what: "use" }, "what it does not allow")
    yield* isEqual(yield* use({ origin: "https://evil.example" }), { kind: "outside", what: "origin" }, "another origin")
    yield* isEqual(yield* use({}), { kind: "outside", what: "origin" }, "no origin")
    yield* isEqual(yield* use({ hash: "cd".repeat(32) }), { kind: "refused" }, "another secret")
    yield* isEqual(yield* tickets.use(attemptOn("nobody")), { kind: "refused" }, "no such ticket")
    yield* isEqual(yield* kindOf(attemptOn("narrow", { origin: "https://app.example" })), "opened", "its only use, which is left")
  })

const expires: Body = (clock) =>
  Effect.gen(function* () {
    const project = yield* fundedProject(0n)
    yield* issued(ticketOf(project, "two", { usesLeft: 2 }))
    clock.advance(59_999)
    yield* isEqual(yield* kindOf(attemptOn("two")), "opened", "just before its end")
    clock.advance(1)
    yield* isEqual(yield* kindOf(attemptOn("two")), "refused", "at its end")
  })

const budget: Body = () =>
  Effect.gen(function* () {
    const tickets = yield* Tickets
    const project = yield* fundedProject(0n)
    yield* issued(ticketOf(project, "paid", { creditsLeft: 100n }))
    yield* issued(ticketOf(project, "free"))
    const wishes = Array.from({ length: 30 }, () => tickets.reserve("paid", 7n))
    const verdicts = yield* Effect.all(wishes, { concurrency: "unbounded" })
    yield* isEqual(verdicts.filter(({ kind }) => kind === "reserved").length, 14, "of 30 at once, 7 credits each")
    yield* isEqual(yield* tickets.reserve("paid", 3n), { kind: "refused", creditsLeft: 2n }, "more than is left")
    yield* Effect.all(
      Array.from({ length: 14 }, () => tickets.giveBack("paid", 5n)),
      { concurrency: "unbounded" }
    )
    yield* isEqual(yield* tickets.reserve("paid", 72n), { kind: "reserved", creditsLeft: 0n }, "what was given back")
    yield* isEqual(yield* tickets.reserve("free", 1n), { kind: "refused", creditsLeft: 0n }, "a ticket without a budget")
    yield* tickets.giveBack("free", 1n)
    yield* tickets.giveBack("nobody", 1n)
    yield* isEqual(yield* tickets.reserve("nobody", 1n), { kind: "refused", creditsLeft: 0n }, "no such ticket")
  })

const keeps: Body = (clock) =>
  Effect.gen(function* () {
    const tickets = yield* Tickets
    const project = yield* fundedProject(0n)
    yield* issued(ticketOf(project, "open", { creditsLeft: 10n }))
    yield* isEqual(yield* kindOf(attemptOn("open")), "opened", "its use")
    clock.advance(ticketKeptMs - 1)
    yield* isEqual((yield* tickets.reserve("open", 1n)).kind, "reserved", "long after it has expired")
    yield* tickets.keep("open")
    clock.advance(ticketKeptMs - 1)
    yield* isEqual((yield* tickets.reserve("open", 1n)).kind, "reserved", "kept anew")
    yield* isEqual(yield* kindOf(attemptOn("open")), "refused", "it opens nothing more")
    clock.advance(1)
    yield* isEqual(yield* tickets.reserve("open", 1n), { kind: "refused", creditsLeft: 0n }, "when nobody keeps it")
    yield* tickets.keep("open")
    yield* isEqual((yield* tickets.reserve("open", 1n)).kind, "refused", "it does not come back")
  })

const bounded: Body = (clock) =>
  Effect.gen(function* () {
    const tickets = yield* Tickets
    const [mine, other] = [yield* fundedProject(0n), yield* fundedProject(0n)]
    const issue = (project: Project, ticketId: string, expiresAtMs = lawStartMs + 60_000) =>
      tickets.issue(ticketOf(project, ticketId, { expiresAtMs, keptUntilMs: expiresAtMs }), 5)
    const soonMs = lawStartMs + 30_000
    const wishes = Array.from({ length: 12 }, (_, at) => issue(mine, `t${at}`))
    const taken = yield* Effect.all(wishes, { concurrency: "unbounded" })
    yield* isEqual(taken.filter(({ kind }) => kind === "issued").length, 5, "of 12 at once, where 5 may be kept")
    yield* isEqual((yield* issue(other, "theirs")).kind, "issued", "another project has its own limit")
    const first = `t${taken.findIndex(({ kind }) => kind === "issued")}`
    yield* isEqual(yield* kindOf(attemptOn(first)), "opened", "one of them is spent")
    yield* isEqual((yield* issue(mine, "sixth", soonMs)).kind, "issued", "whose place is free")
    yield* isEqual(yield* issue(mine, "seventh"), { kind: "full", freeAtMs: soonMs }, "until the first of them expires")
    yield* isEqual((yield* tickets.issue(ticketOf(other, "none"), 0)).kind, "full", "where none may be kept")
    clock.advance(60_000)
    const again = yield* Effect.forEach(
      Array.from({ length: 6 }, (_, at) => at),
      (at) => Effect.map(issue(mine, `u${at}`, lawStartMs + 120_000), ({ kind }) => kind)
    )
    yield* isEqual(again, [...Array.from({ length: 5 }, () => "issued"), "full"], "all have expired")
    yield* holdsThat((yield* kindOf(attemptOn("u0"))) === "opened", "the new ones open")
  })

const needsAProject: Body = () =>
  Effect.gen(function* () {
    const project = yield* fundedProject(0n)
    const nobodys = ticketOf({ ...project, projectId: "00000000-0000-4000-8000-000000000000" }, "nobodys")
    yield* holdsThat(Exit.isFailure(yield* Effect.exit(issued(nobodys))), "a ticket of no project is not issued")
    yield* isEqual(yield* kindOf(attemptOn("nobodys")), "refused", "a ticket of no project")
  })

const bodies: Readonly<Record<string, Body>> = {
  "of many attempts at once, a ticket opens as many as it has uses": singleUse,
  "a use shows the ticket with all it allows": termsCome,
  "what a ticket does not allow takes no use of it": outside,
  "a ticket opens nothing from its end on": expires,
  "a budget is never overdrawn, and has again what is given back": budget,
  "a budget is kept for a while after its last use, and as long as it is asked for": keeps,
  "a project has a bounded number of tickets; what is spent or expired frees its place": bounded,
  "a ticket belongs to a project": needsAProject
}

/** The laws of tickets, over stores from `makeStores`. */
export const ticketLaws = (makeStores: () => Layer.Layer<Needs>): ReadonlyArray<Law> => storeLaws(bodies, makeStores)
