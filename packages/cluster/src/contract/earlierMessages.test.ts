/** Messages as the first release of the contract wrote them: they are read today, and what is said to their senders is what they can read. */
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

/** Written again as it was read: the same bytes, but for the order of what has none. */
const staysItself = <A>(codec: Codec<A>, messages: ReadonlyArray<string>): void => {
  expect(read(codec, messages).map((message) => Buffer.from(codec.encode(message)).toString("hex"))).toEqual(messages)
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
