/** Audits of tickets on upgrades: as a subprotocol, in place of a key that a browser must not have (D52). */
import { type Audit, audit, type Findings } from "../audit.ts"
import { type Check, matches, same } from "../check.ts"
import { at, send } from "../rest/call.ts"
import type { Dialled, WireClient } from "../../wire/wireClient.ts"
import { ask, isErrorReply } from "./requests.ts"
import { dialTarget, type WsTarget } from "./wsTarget.ts"

const ofTickets = (id: string, title: string, body: (target: WsTarget) => Promise<Findings>): Audit<WsTarget> =>
  audit<WsTarget>(id, "MUST", "D52", title, async (target) =>
    target.hasTickets === true ? body(target) : { skip: "the service has no tickets" }
  )

/** The subprotocols that a new ticket is offered by. */
const ticketFor = async (target: WsTarget, wish: object): Promise<string> => {
  const offered = at((await send(target, { path: "/tickets", json: wish })).json, "subprotocols")
  return Array.isArray(offered) ? offered.join(", ") : ""
}

const upgrade = (target: WsTarget, subprotocols: string, headers: Readonly<Record<string, string>> = {}): Promise<Dialled> =>
  dialTarget(target, { key: null, headers: { "sec-websocket-protocol": subprotocols, ...headers } })

/** Uses the client of an upgrade that was accepted; otherwise a failed check. */
const accepted = async (
  what: string,
  dialled: Dialled,
  use: (client: WireClient) => Promise<ReadonlyArray<Check>>
): Promise<ReadonlyArray<Check>> => {
  if (dialled.client === undefined) return [same(`${what}: status`, dialled.answer?.status, 101)]
  try {
    await dialled.client.until(() => dialled.client.messages[0])
    return await use(dialled.client)
  } finally {
    dialled.client.reset()
  }
}

const isRefused = (what: string, dialled: Dialled, status: number, tag: string): ReadonlyArray<Check> => {
  dialled.client?.reset()
  const answer = dialled.client === undefined ? dialled.answer : undefined
  const body: unknown = answer?.body.startsWith("{") === true ? JSON.parse(answer.body) : undefined
  return [
    same(`${what}: status`, dialled.client === undefined ? answer?.status : 101, status),
    same(`${what}: _tag`, at(body, "_tag"), tag)
  ]
}

const opens = ofTickets(
  "WS-TICKET-001",
  "a ticket as a subprotocol opens a connection without a key: sibyl.v1 is selected and never the ticket; authorized is that of its project",
  async (target) => {
    const { json: verified } = await send(target, { path: "/verify" })
    const dialled = await upgrade(target, await ticketFor(target, {}))
    return [
      matches("the selected subprotocol", dialled.client?.protocol, /^sibyl\.v1$/),
      ...(await accepted("the upgrade", dialled, async (client) => {
        const [first] = client.messages
        const reply = await ask(client, "feed.execute", { execProgramId: target.programs.echo, execInputs: "a" })
        return [
          same("the first message", first?.json["method"], "authorized"),
          same("projectId", at(first?.json, "params", "projectId"), at(verified, "projectId")),
          same("a run", at(reply?.json, "result", "data", "result"), "0x61")
        ]
      }))
    ]
  }
)

const isUsedUp = ofTickets(
  "WS-TICKET-002",
  "one upgrade is one use: after its uses, and changed, a ticket is 401 before any frame",
  async (target) => {
    const subprotocols = await ticketFor(target, { maxUses: 1 })
    const changed = subprotocols.replace(/.$/, (last) => (last === "0" ? "1" : "0"))
    const wrong = await upgrade(target, changed)
    const first = await upgrade(target, subprotocols)
    const second = await upgrade(target, subprotocols)
    return [
      ...isRefused("changed", wrong, 401, "Unauthorized"),
      ...(await accepted("its use", first, async (client) => [same("authorized", client.messages[0]?.json["method"], "authorized")])),
      ...isRefused("once more", second, 401, "Unauthorized")
    ]
  }
)

const keepsItsScope = ofTickets(
  "WS-TICKET-003",
  "a connection of a ticket does what the ticket allows: anything else is 36043, as is another program, and the connection goes on",
  async (target) => {
    const { echo, failing } = target.programs
    const ofFeeds = await upgrade(target, await ticketFor(target, { allow: ["feeds"] }))
    const narrow = await upgrade(target, await ticketFor(target, { allow: ["execute"], programs: [echo] }))
    const idOf = (reply: Awaited<ReturnType<typeof ask>>): string => String(reply?.json["id"])
    return [
      ...(await accepted("for feeds", ofFeeds, async (client) => {
        const run = await ask(client, "feed.execute", { execProgramId: echo })
        return isErrorReply("a run", run, idOf(run), 36043, "OutsideTicket")
      })),
      ...(await accepted("for one program", narrow, async (client) => {
        const other = await ask(client, "feed.execute", { execProgramId: failing })
        const feed = await ask(client, "feed.start", { execute: { execProgramId: echo }, mode: "FIXED", periodicityMs: 1_000 })
        const own = await ask(client, "feed.execute", { execProgramId: echo, execInputs: "a" })
        return [
          ...isErrorReply("another program", other, idOf(other), 36043, "OutsideTicket"),
          ...isErrorReply("a feed", feed, idOf(feed), 36043, "OutsideTicket"),
          same("its program", at(own?.json, "result", "data", "result"), "0x61")
        ]
      })),
      ...isRefused("only to read", await upgrade(target, await ticketFor(target, { allow: ["read"] })), 403, "OutsideTicket")
    ]
  }
)

const keepsItsOrigins = ofTickets(
  "WS-TICKET-004",
  "a page of another origin than the ticket's is 403 on the upgrade and takes no use; one of the ticket's is let in",
  async (target) => {
    const origin = "https://of-the-ticket.example"
    const subprotocols = await ticketFor(target, { origins: [origin], maxUses: 1 })
    const foreign = await upgrade(target, subprotocols, { origin: "https://foreign.example" })
    const own = await upgrade(target, subprotocols, { origin })
    const anybody = await ticketFor(target, {})
    return [
      ...isRefused("another origin", foreign, 403, "OutsideTicket"),
      ...(await accepted("its origin", own, async (client) => [same("authorized", client.messages[0]?.json["method"], "authorized")])),
      ...isRefused(
        "a foreign page with a ticket for no page",
        await upgrade(target, anybody, { origin: "https://foreign.example" }),
        403,
        "OutsideTicket"
      )
    ]
  }
)

/** Tickets on upgrades. */
export const wsTicketAudits: ReadonlyArray<Audit<WsTarget>> = [opens, isUsedUp, keepsItsScope, keepsItsOrigins]
