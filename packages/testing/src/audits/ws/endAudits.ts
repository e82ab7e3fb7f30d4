/** Audits of the service's shutdown; they come last because the target is stopped afterwards (D9, D41). */
import { type Audit, audit } from "../audit.ts"
import { holds, same } from "../check.ts"
import { send } from "../rest/call.ts"
import { awaitResults, startFeed } from "./requests.ts"
import { dialTarget, openClient, type WsTarget } from "./wsTarget.ts"

const closesConnections = audit<WsTarget>(
  "WS-END-001",
  "MUST",
  "D9/D41",
  "a service that shuts down closes its connections with 1001, also those with running feeds, and accepts no new ones",
  async (target) => {
    const drain = target.operator?.drain
    if (drain === undefined) return { skip: "ending a service needs an operator that can" }
    const clients = await Promise.all([1, 2, 3].map(() => openClient(target)))
    const [first] = clients
    if (first !== undefined) {
      const feed = { execute: { execProgramId: target.programs.echo }, mode: "PARALLEL", periodicityMs: 20 } as const
      await awaitResults(first, await startFeed(first, feed), 3)
    }
    const drained = drain()
    const endings = await Promise.all(clients.map((client) => client.ended()))
    for (const client of clients) client.reset()
    await drained
    const late = await dialTarget(target)
    late.client?.reset()
    const { status } = await send(target, { path: "/health", key: null })
    return [
      same(
        "codes",
        endings.map((ending) => ending?.code),
        [1001, 1001, 1001]
      ),
      holds(
        "with a reason",
        endings.every((ending) => ending !== undefined && ending.reason !== ""),
        endings
      ),
      same("a late upgrade", late.client === undefined ? late.answer?.status : 101, 503),
      same("health", status, 503)
    ]
  }
)

/** The service's shutdown. */
export const endAudits: ReadonlyArray<Audit<WsTarget>> = [closesConnections]
