/** Messages on the subjects of an edge or executor that nobody acts on: NATS tells only whoever sends what it does not let through. */
import { orderCodec, probeCodec } from "../contract/codec.ts"
import type { NatsConnection } from "../connection/natsConnection.ts"
import { refusalFrame } from "../contract/frame.ts"
import { aliveSubject, beatSubject, inboxOf, orderSubject, runSubject } from "../contract/subjects.ts"
import type { Channel } from "./channel.ts"

/** No edge, executor or feed has this name. */
export const nobody = "survey"

/** An order that its executor has nothing to do for. */
const nothing = orderCodec.encode({ kind: "heard", attempts: [] })

/** Sends where an edge does for its runs; nobody acts on it. */
export const trySending = (net: string, channel: Channel): void => {
  channel.send(runSubject(net), nothing)
  channel.send(orderSubject(net, nobody), nothing)
  channel.send(aliveSubject(nobody), probeCodec.encode({ edge: nobody, attempts: [] }))
}

/** Sends where an executor answers; nobody waits for it. */
export const tryAnswering = (connection: NatsConnection["Type"]): void => {
  connection.publish(inboxOf(nobody), refusalFrame())
}

/** Sends where an executor does for the runs of edges; nobody acts on it. */
export const tryExecutorSending = (net: string, connection: NatsConnection["Type"]): void => {
  connection.publish(beatSubject(net), refusalFrame())
  tryAnswering(connection)
}
