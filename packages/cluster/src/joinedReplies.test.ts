/** An executor sends acceptance and outcome of a short run in one message to an edge that reads such, and in two to an older one. */
import { programIdOf } from "@sibyl/core"
import { Context, Effect, Either, Layer } from "effect"
import { expect, it } from "vitest"
import { NatsConnection } from "./connection/natsConnection.ts"
import { orderCodec, replyCodec } from "./contract/codec.ts"
import { framesOf, readFrame } from "./contract/frame.ts"
import type { Order, Task } from "./contract/orders.ts"
import type { Reply } from "./contract/replies.ts"
import { inboxOf, orderSubject } from "./contract/subjects.ts"
import { eventually } from "./testdata/eventually.ts"
import { fetching, openExecutor, requestFor, run } from "./testdata/inProcess.ts"
import { describeNats, startNats } from "./testdata/natsServer.ts"

const program = fetching(0)

const taskOf = (attempt: string, over: object): Task => {
  const { program: _, ...request } = requestFor(program)
  return {
    kind: "task",
    attempt,
    request: { ...request, hasStorage: false, hasProxies: false },
    tape: { startTimeMs: 0, seed: new Uint8Array(32), entries: [] },
    ...over
  }
}

const kindsOf = ({ before = [], body }: Reply): ReadonlyArray<string> => [...before, body].map(({ kind }) => kind)

describeNats("replies", () => {
  it("travel together where the edge reads them so", () =>
    run(
      Effect.gen(function* () {
        const { url } = yield* startNats()
        const { id } = yield* openExecutor(url)
        const connection = Context.get(yield* Layer.build(NatsConnection.layer({ servers: [url] })), NatsConnection)
        const replies = new Map<string, Array<Reply>>()
        const send = (order: Order, reply?: string) => {
          const [frame = new Uint8Array()] = framesOf(orderCodec.encode(order), 1_048_576, () => new Uint8Array(16))
          connection.publish(orderSubject("default", id), frame, reply)
        }
        yield* connection.subscribe("_INBOX.edge.*", ({ data, subject }) => {
          const frame = readFrame(data)
          const reply = Either.getOrThrow(replyCodec.decode(frame.kind === "whole" ? frame.body : new Uint8Array()))
          const attempt = subject.slice("_INBOX.".length)
          replies.set(attempt, [...(replies.get(attempt) ?? []), reply])
          if (reply.body.kind !== "ask") return
          expect(reply.body.ask).toEqual({ kind: "program", programId: programIdOf(program) })
          send({ kind: "answer", attempt, n: reply.n, answer: { kind: "program", bytes: program } })
        })
        yield* connection.flushed
        const said = (attempt: string, over: object) =>
          Effect.suspend(() => {
            send(taskOf(attempt, over), inboxOf(attempt))
            const own = () => replies.get(attempt) ?? []
            return Effect.map(
              eventually(() => own().some(({ body }) => body.kind === "done")),
              own
            )
          })
        // Until its worker is up, it is full.
        const taken = () => (replies.get("edge.0") ?? []).filter(({ body }) => body.kind !== "full")
        yield* eventually(() => {
          if (taken().length === 0) send(taskOf("edge.0", { joins: true }), inboxOf("edge.0"))
          return taken().some(({ body }) => body.kind === "done")
        })
        // On a busy machine, a run may take longer than an acceptance waits.
        const areJoined = (attempt: string) => (replies.get(attempt) ?? []).some(({ before, n }) => before !== undefined && n === 1)
        for (let at = 1; at <= 100 && !areJoined(`edge.1${at - 1}`); at += 1) {
          const own = yield* said(`edge.1${at}`, { joins: true })
          expect(own.flatMap(kindsOf)).toEqual(["accepted", "done"])
        }
        expect([...replies.keys()].some(areJoined)).toBe(true)
        yield* said("edge.2", {})
        const numbered = (list: ReadonlyArray<Reply>) => list.map((reply) => [reply.n, kindsOf(reply)])
        // The first one has to ask for the program: it is accepted before.
        expect(numbered(taken())).toEqual([
          [0, ["accepted"]],
          [1, ["ask"]],
          [2, ["done"]]
        ])
        expect(numbered(replies.get("edge.2") ?? [])).toEqual([
          [0, ["accepted"]],
          [1, ["done"]]
        ])
      })
    ))
})
