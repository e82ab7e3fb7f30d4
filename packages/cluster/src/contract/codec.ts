/** Messages as MessagePack, which carries bytes as they are; what is read is checked by its schema. */
import { decode, encode } from "@msgpack/msgpack"
import { Data, Either, Schema } from "effect"
import { Order, Probe } from "./orders.ts"
import { Alive, Beat, Reply } from "./replies.ts"

/** Bytes that are no message of ours. Nothing is done with them, beyond counting. */
export class Garbage extends Data.TaggedError("Garbage")<{ readonly message: string }> {}

/** Both ways of one kind of message. */
export interface Codec<A> {
  readonly encode: (message: A) => Uint8Array
  /** Does not throw, whatever it is given. */
  readonly decode: (body: Uint8Array) => Either.Either<A, Garbage>
}

const codecOf = <A>(schema: Schema.Schema<A, never> | Schema.Schema<A, unknown>, name: string): Codec<A> => {
  const write = Schema.encodeSync(schema as Schema.Schema<A, unknown>)
  const read = Schema.decodeUnknownEither(schema as Schema.Schema<A, unknown>)
  const garbage = () => new Garbage({ message: `no ${name} of this contract` })
  return {
    encode: (message) => encode(write(message), { ignoreUndefined: true }),
    decode: (body) => {
      try {
        return Either.mapLeft(read(decode(body)), garbage)
      } catch {
        return Either.left(garbage())
      }
    }
  }
}

/** Orders to executors. */
export const orderCodec: Codec<Order> = codecOf(Order as unknown as Schema.Schema<Order, unknown>, "order")
/** Replies to edges. */
export const replyCodec: Codec<Reply> = codecOf(Reply as unknown as Schema.Schema<Reply, unknown>, "reply")
/** Probes of executors. */
export const probeCodec: Codec<Probe> = codecOf(Probe as unknown as Schema.Schema<Probe, unknown>, "probe")
/** Answers to probes. */
export const aliveCodec: Codec<Alive> = codecOf(Alive as unknown as Schema.Schema<Alive, unknown>, "answer to a probe")
/** What executors tell of themselves. */
export const beatCodec: Codec<Beat> = codecOf(Beat as unknown as Schema.Schema<Beat, unknown>, "beat")
