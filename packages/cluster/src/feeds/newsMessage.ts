/** News of a feed as messages on NATS: a line of JSON, then the bytes of the result, in parts where one message would be too large. */
import { EncodedText, type RelayedNews } from "@sibyl/core"
import { Either, Schema } from "effect"

const count = Schema.Int.pipe(Schema.nonNegative())

/** Whoever speaks, and in which term. */
const term = { v: Schema.Literal(1), from: Schema.String, epoch: count, term: count }

/** The first line of a message on `sibyl.feed.<feedKey>`, version 1. A result's text follows in UTF-8: part `part` of `parts`. */
export const NewsHead = Schema.Union(
  Schema.Struct({
    ...term,
    kind: Schema.Literal("result"),
    ordinal: count,
    seq: count,
    part: count,
    parts: Schema.Int.pipe(Schema.positive())
  }),
  Schema.Struct({ ...term, kind: Schema.Literal("released") }),
  Schema.Struct({ v: Schema.Literal(1), from: Schema.String, kind: Schema.Literal("logged") })
)
type NewsHead = typeof NewsHead.Type

/** Room for the first line. */
const headBytes = 1_024
/** More parts would be more than any result has. */
const mostParts = 4_096
const endOfLine = 10

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const decodeHead = Schema.decodeUnknownEither(Schema.parseJson(NewsHead))

const messageOf = (head: NewsHead, body: Uint8Array): Uint8Array => {
  const line = encoder.encode(`${JSON.stringify(head)}\n`)
  const message = new Uint8Array(line.length + body.length)
  message.set(line)
  message.set(body, line.length)
  return message
}

/** The messages that carry news, none longer than `maxBytes`. */
export const newsMessages = (news: RelayedNews, maxBytes: number): ReadonlyArray<Uint8Array> => {
  if (news.kind === "logged") return [messageOf({ v: 1, kind: "logged", from: news.from }, new Uint8Array())]
  const { epoch, from, kind, term } = news
  if (kind === "released") return [messageOf({ v: 1, kind, from, epoch, term }, new Uint8Array())]
  const { bytes } = news.message
  const partBytes = Math.max(1, maxBytes - headBytes)
  const parts = Math.max(1, Math.ceil(bytes.length / partBytes))
  return Array.from({ length: parts }, (_, part) =>
    messageOf(
      { v: 1, kind, from, epoch, term, ordinal: news.ordinal, seq: news.seq, part, parts },
      bytes.subarray(part * partBytes, (part + 1) * partBytes)
    )
  )
}

interface Begun {
  readonly name: string
  readonly parts: Array<Uint8Array>
}

const joined = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** Puts news together again. What one server sends arrives in order; a part that is missing makes the whole result missing. */
export class NewsReader {
  /** By server, the result whose parts are arriving: one at most. */
  readonly #begun = new Map<string, Begun>()

  /** Reads one message; news when it is complete. Whatever is not a message of this version is dropped. */
  read(message: Uint8Array): RelayedNews | undefined {
    const end = message.indexOf(endOfLine)
    const head = decodeHead(decoder.decode(message.subarray(0, Math.max(0, end))))
    if (Either.isLeft(head)) return undefined
    if (head.right.kind === "logged") return { kind: "logged", from: head.right.from }
    const { epoch, from, term } = head.right
    if (head.right.kind === "released") return { kind: "released", from, epoch, term }
    const { ordinal, part, parts, seq } = head.right
    // A copy: the message is a view of a larger buffer.
    const bytes = this.#whole(from, `${epoch}/${term}/${ordinal}/${parts}`, part, parts, message.slice(end + 1))
    return bytes === undefined ? undefined : { kind: "result", from, epoch, term, ordinal, seq, message: new EncodedText(bytes) }
  }

  #whole(from: string, name: string, part: number, parts: number, bytes: Uint8Array): Uint8Array | undefined {
    if (parts === 1 || part === 0) this.#begun.delete(from)
    if (parts === 1) return part === 0 ? bytes : undefined
    if (part === 0 && parts <= mostParts) this.#begun.set(from, { name, parts: [] })
    const begun = this.#begun.get(from)
    if (begun === undefined || begun.name !== name || begun.parts.length !== part) {
      this.#begun.delete(from)
      return undefined
    }
    begun.parts.push(bytes)
    if (begun.parts.length < parts) return undefined
    this.#begun.delete(from)
    return joined(begun.parts)
  }
}
