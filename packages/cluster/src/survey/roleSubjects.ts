/** Whether NATS lets its user do what a role does: it refuses a subject by itself, after the fact, and tells only who has tried. */
import { Effect, type Scope } from "effect"
import type { Channel } from "../channel/channel.ts"
import { nobody, tryExecutorSending, trySending } from "../channel/trySending.ts"
import type { NatsConnection } from "../connection/natsConnection.ts"
import type { NatsSilent } from "../connection/natsErrors.ts"
import { aliveSubject, feedSubject, inboxesOf, orderSubject, runSubject } from "../contract/subjects.ts"

/** What a process of a cluster is. */
export type NetRole = "edge" | "executor"

/** Sends and listens on each subject of a role but that of the beats, which an edge hears, and waits until the server has answered. Nobody acts on it. */
export const tryRoleSubjects = (
  role: NetRole,
  net: string,
  connection: NatsConnection["Type"],
  channel: Channel
): Effect.Effect<void, NatsSilent, Scope.Scope> =>
  Effect.gen(function* () {
    const subjects =
      role === "edge"
        ? [inboxesOf(nobody), feedSubject(nobody)]
        : // Not in the group of the executors, which would take tasks away from them.
          [aliveSubject(nobody), orderSubject(net, nobody), runSubject(net)]
    for (const subject of subjects) yield* connection.subscribe(subject, () => {})
    if (role === "edge") {
      trySending(net, channel)
      channel.send(feedSubject(nobody), new Uint8Array())
    } else tryExecutorSending(net, connection)
    yield* connection.flushed
  })
