/** Messages as the first release of the contract wrote them: they are read today, and what is said to their senders is what they can read. */
import { decode } from "@msgpack/msgpack"
import { defaultLimits } from "@sibyl/core"
import { Either } from "effect"
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { aliveCodec, beatCodec, type Codec, orderCodec, probeCodec, replyCodec } from "./codec.ts"

/** Bytes in hex, by the kind of message. */
const recorded = JSON.parse(readFileSync(new URL("../testdata/recordedMessages.json", import.meta.url), "utf8")) as Readonly<
  Record<"orders" | "replies" | "probes" | "alives" | "beats", ReadonlyArray<string>>
>

const read = <A>(codec: Codec<A>, messages: ReadonlyArray<string>): ReadonlyArray<A> =>
  messages.map((hex) => Either.getOrThrow(codec.decode(Buffer.from(hex, "hex"))))

/** A message without its schema. */
interface Plain {
  readonly request?: { readonly limits: Readonly<Record<string, unknown>> }
}

const plain = (bytes: Uint8Array): Plain => decode(bytes) as Plain

/** Without the limits that came later, which the readers of that time ignore. */
const withLimitsOf = (message: Plain, { request }: Plain): Plain => {
  if (message.request === undefined) return message
  const limits = Object.fromEntries(Object.entries(message.request.limits).filter(([name]) => name in (request?.limits ?? {})))
  return { ...message, request: { ...message.request, limits } }
}

/** Written again as it was read: the same, but for the order of what has none, and for later limits. */
const staysItself = <A>(codec: Codec<A>, messages: ReadonlyArray<string>): void => {
  const then = messages.map((hex) => plain(Uint8Array.from(Buffer.from(hex, "hex"))))
  const now = read(codec, messages).map((message) => plain(codec.encode(message)))
  expect(now.map((message, at) => withLimitsOf(message, then[at] ?? {}))).toEqual(then)
}

describe("messages of the first release", () => {
  it("are written today as they were then", () => {
    staysItself(orderCodec, recorded.orders)
    staysItself(replyCodec, recorded.replies)
    staysItself(probeCodec, recorded.probes)
    staysItself(aliveCodec, recorded.alives)
    staysItself(beatCodec, recorded.beats)
  })

  it("mean what they meant", () => {
    const [first, going] = read(orderCodec, recorded.orders)
    if (first?.kind !== "task" || going?.kind !== "task") throw new Error("no task was recorded")
    expect(first).toMatchObject({ tape: { entries: [] }, request: { gasLimit: 300_000_000_000_000n, hasStorage: true, hasProxies: false } })
    expect(first.request.limits).toEqual({ ...defaultLimits, hostCalls: 7 })
    // An edge of that time reads no replies that travel together.
    expect(first.joins).toBeUndefined()
    expect(going.tape.entries.map(({ kind }) => kind)).toEqual(["fetch", "proxyPrice", "storage", "deadline"])
    expect(going.spent?.storedBefore).toEqual(new Map([["key", "old"]]))
    expect(going.tally).toMatchObject({ blockHeight: 3n, gasLimit: 4n })
    expect(read(replyCodec, recorded.replies).map(({ body }) => body.kind)).toEqual([
      "accepted",
      "full",
      "tape",
      "ask",
      "done",
      "overloaded",
      "defect",
      "left"
    ])
  })
})
