/** Whether NATS lets its user do what an edge does: it refuses a subject by itself, after the fact, and tells only who has tried. */
import { Effect, type Scope } from "effect"
import type { Channel } from "../channel/channel.ts"
import { nobody, trySending } from "../channel/trySending.ts"
import type { NatsConnection } from "../connection/natsConnection.ts"
import type { NatsSilent } from "../connection/natsErrors.ts"
import { feedSubject, inboxesOf } from "../contract/subjects.ts"

/** Sends and listens on each subject of an edge but that of the beats, and waits until the server has answered. Nobody acts on it. */
export const tryEdgeSubjects = (
  net: string,
  connection: NatsConnection["Type"],
  channel: Channel
): Effect.Effect<void, NatsSilent, Scope.Scope> =>
  Effect.gen(function* () {
    for (const subject of [inboxesOf(nobody), feedSubject(nobody)]) yield* connection.subscribe(subject, () => {})
    trySending(net, channel)
    channel.send(feedSubject(nobody), new Uint8Array())
    yield* connection.flushed
  })
