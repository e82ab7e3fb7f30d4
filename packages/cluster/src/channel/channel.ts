/** Bodies of messages over NATS: sent in frames, received whole. What cannot be read is counted, and answered if it is of another version. */
import type { Context } from "effect"
import type { NatsConnection, NatsMessage } from "../connection/natsConnection.ts"
import { framesOf, readFrame, refusalFrame } from "../contract/frame.ts"
import { emptyReassembly, withPart } from "../contract/reassembly.ts"

/** What a channel needs. */
export interface ChannelParts {
  readonly connection: Context.Tag.Service<NatsConnection>
  readonly nowMs: () => number
  /** 16 random bytes. */
  readonly name: () => Uint8Array
}

/** What is done with what comes. */
export interface Receiver {
  /** A whole body, and the message that it came with, or the last part of it. */
  readonly body: (body: Uint8Array, message: NatsMessage) => void
  /** Our own message was of a version that its receiver does not understand. */
  readonly refused?: (message: NatsMessage) => void
  /** A message of a version that we do not understand has come. */
  readonly otherVersion?: (version: number) => void
  /** Nobody listens where our message went. */
  readonly nobody?: (message: NatsMessage) => void
}

/** Sends and receives bodies of any length. */
export class Channel {
  private readonly parts: ChannelParts
  private garbage = 0

  constructor(parts: ChannelParts) {
    this.parts = parts
  }

  /** How many messages could not be read since the beginning. */
  get garbageMessages(): number {
    return this.garbage
  }

  /** A message was no message of ours. */
  countGarbage(): void {
    this.garbage += 1
  }

  /** Sends a body; answers whether there is a connection that it went to. Only one frame may go to a queue group. */
  send(subject: string, body: Uint8Array, reply?: string): boolean {
    const { connection, name } = this.parts
    return framesOf(body, connection.server().maxPayloadBytes, name).every((frame) => connection.publish(subject, frame, reply))
  }

  /** A listener for a subscription, with parts of its own. */
  listener(receiver: Receiver): (message: NatsMessage) => void {
    let messages = emptyReassembly
    return (message) => {
      if (message.tellsOfNobody === true) return receiver.nobody?.(message)
      const frame = readFrame(message.data)
      switch (frame.kind) {
        case "whole":
          return receiver.body(frame.body, message)
        case "part": {
          const step = withPart(messages, frame, this.parts.nowMs())
          messages = step.messages
          if (step.body !== undefined) receiver.body(step.body, message)
          return
        }
        case "refusal":
          return receiver.refused?.(message)
        case "otherVersion":
          receiver.otherVersion?.(frame.version)
          if (message.reply !== undefined) this.parts.connection.publish(message.reply, refusalFrame())
          return
        case "garbage":
          return this.countGarbage()
      }
    }
  }
}
