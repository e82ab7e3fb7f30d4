/** Messages as MessagePack, which carries bytes as they are; what is read is checked by its schema. */
import { Decoder, Encoder } from "@msgpack/msgpack"
import { Data, Either, type Schema } from "effect"
import { compiledSchema, refused } from "./compiledSchema.ts"
import { Order, Probe } from "./orders.ts"
import { Alive, Beat, Reply } from "./replies.ts"

/** Bytes that are no message of ours. Nothing is done with them, beyond counting. */
export class Garbage extends Data.TaggedError("Garbage")<{ readonly message: string }> {}

/** Both ways of one kind of message. */
export interface Codec<A> {
  /** Throws on what is no message of this kind. */
  readonly encode: (message: A) => Uint8Array
  /** Does not throw, whatever it is given. */
  readonly decode: (body: Uint8Array) => Either.Either<A, Garbage>
}

/** One that was used for more bytes than this keeps them, and is not used again. */
const mostKeptBytes = 262_144

/** A packer and its buffers, which are used again and again. */
const packing = () => {
  let [encoder, decoder] = [new Encoder({ ignoreUndefined: true }), new Decoder()]
  return {
    pack: (value: unknown): Uint8Array => {
      const bytes = encoder.encode(value)
      if (bytes.length > mostKeptBytes) encoder = new Encoder({ ignoreUndefined: true })
      return bytes
    },
    unpack: (bytes: Uint8Array): unknown => {
      const value = decoder.decode(bytes)
      if (bytes.length > mostKeptBytes) decoder = new Decoder()
      return value
    }
  }
}

const codecOf = <A>(schema: Schema.Schema<A, never> | Schema.Schema<A, unknown>, name: string): Codec<A> => {
  const { read, write } = compiledSchema(schema as Schema.Schema<A, unknown>)
  const { pack, unpack } = packing()
  const garbage = () => new Garbage({ message: `no ${name} of this contract` })
  return {
    encode: (message) => {
      const written = write(message)
      if (written === refused) throw new TypeError(`no ${name} of this contract`)
      return pack(written)
    },
    decode: (body) => {
      try {
        const message = read(unpack(body))
        return message === refused ? Either.left(garbage()) : Either.right(message as A)
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
