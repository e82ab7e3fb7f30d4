/** Faults of tickets. */
import { Directory, type Service, Tickets } from "@sibyl/core"
import { Clock, Context, Effect } from "effect"
import { type Ports, ports, seam, type SeededFault } from "./seededFault.ts"
import { onSocket } from "./tamper.ts"

type Port = Tickets["Type"]

const ticketsWith = (ports: Ports, change: (tickets: Port) => Partial<Port>): Ports => {
  const tickets = Context.get(ports, Tickets)
  return Context.add(ports, Tickets, { ...tickets, ...change(tickets) })
}

/** A fault of what is stored of a new ticket. */
const issued = (name: string, change: (ticket: Parameters<Port["issue"]>[0]) => Partial<Parameters<Port["issue"]>[0]>): SeededFault =>
  ports(
    name,
    ["tickets", "outcome"],
    () => (ports) =>
      ticketsWith(ports, ({ issue }) => ({ issue: (ticket, maxTickets) => issue({ ...ticket, ...change(ticket) }, maxTickets) }))
  )

/** All of them. */
export const ticketFaults: ReadonlyArray<SeededFault> = [
  issued("a ticket can be used twice", ({ usesLeft }) => ({ usesLeft: usesLeft + 1 })),
  issued("a ticket outlives its time", ({ expiresAtMs, keptUntilMs }) => ({
    expiresAtMs: expiresAtMs + 600_000,
    keptUntilMs: keptUntilMs + 600_000
  })),
  issued("a ticket ends before its time", ({ expiresAtMs }) => ({ expiresAtMs: expiresAtMs - 1_000 })),
  issued("what a ticket allows is ignored", () => ({ allow: ["execute", "feeds", "read"] })),
  issued("the origins of a ticket are ignored", () => ({ origins: null })),
  issued("the programs of a ticket are ignored", () => ({ programs: null })),
  issued("a ticket has one use, whatever was asked for", () => ({ usesLeft: 1 })),
  ports("a ticket opens another tenant's socket", ["tenants"], () => (ports) => {
    let first: Parameters<Port["issue"]>[0] | undefined
    return ticketsWith(ports, ({ issue, use }) => ({
      issue: (ticket, maxTickets) => {
        first ??= ticket
        return issue(ticket, maxTickets)
      },
      use: (attempt) =>
        Effect.map(use(attempt), (verdict) =>
          verdict.kind === "opened" && first !== undefined
            ? { ...verdict, record: { ...verdict.record, projectId: first.projectId, apiKeyId: first.apiKeyId } }
            : verdict
        )
    }))
  }),
  ports("a ticket opens a socket after its key was revoked", ["tickets", "keys"], () => (ports) => {
    const directory = Context.get(ports, Directory)
    const known = new Map<string, Effect.Effect.Success<ReturnType<typeof directory.owner>>>()
    return Context.add(ports, Directory, {
      ...directory,
      owner: (apiKeyId) =>
        Effect.catchAll(
          Effect.tap(directory.owner(apiKeyId), (owner) => Effect.sync(() => known.set(apiKeyId, owner))),
          (refusal) => {
            const before = known.get(apiKeyId)
            return before === undefined ? Effect.fail(refusal) : Effect.succeed(before)
          }
        )
    })
  }),
  seam("sockets of tickets stay open when their key is revoked", ["keys"], () => (service) => {
    const open: Service = onSocket(() => ({ ignoresClose: true }))(service)
    return {
      ...service,
      upgrade: (request) =>
        request.header("sec-websocket-protocol")?.includes("sibyl.ticket.") === true ? open.upgrade(request) : service.upgrade(request)
    }
  }),
  ports("attempts at the same time are opened by one use", ["tickets"], () => (ports) => {
    const verdicts = new Map<string, Effect.Effect.Success<ReturnType<Port["use"]>>>()
    return ticketsWith(ports, ({ use }) => ({
      use: (attempt) =>
        Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
          const name = `${attempt.hash} ${nowMs}`
          const same = verdicts.get(name)
          if (same !== undefined) return Effect.succeed(same)
          return Effect.tap(use(attempt), (verdict) => Effect.sync(() => verdicts.set(name, verdict)))
        })
    }))
  }),
  ports(
    "a page that is refused takes a use",
    ["tickets"],
    () => (ports) =>
      ticketsWith(ports, ({ use }) => ({
        use: (attempt) =>
          Effect.tap(use(attempt), (verdict) =>
            verdict.kind === "outside" && verdict.what === "origin"
              ? use({ ...attempt, origin: "https://app.example", isForeign: false })
              : Effect.void
          )
      }))
  ),
  ports(
    "the budget of a ticket is never used up",
    ["tickets"],
    () => (ports) =>
      ticketsWith(ports, () => ({ reserve: (_ticketId, credits) => Effect.succeed({ kind: "reserved", creditsLeft: credits }) }))
  ),
  seam("a ticket may be kept in caches", ["shape"], () => (service) => ({
    ...service,
    fetch: async (request) => {
      const response = await service.fetch(request)
      if (response === undefined || !request.url.startsWith("/tickets")) return response
      const kept = Object.entries(response.headers).filter(([name]) => name.toLowerCase() !== "cache-control")
      return { ...response, headers: Object.fromEntries(kept) }
    }
  }))
]
