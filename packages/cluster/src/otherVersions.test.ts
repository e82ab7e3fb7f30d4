/** Edges and executors whose contracts have no version in common say so, where nobody seemed to be there. */
import { Effect, Layer, Logger } from "effect"
import { expect, it } from "vitest"
import { NatsConnection } from "./connection/natsConnection.ts"
import { beatSubject, contractVersion, runSubject } from "./contract/subjects.ts"
import { surveyNet } from "./survey/surveyNet.ts"
import { eventually } from "./testdata/eventually.ts"
import { openExecutor, run } from "./testdata/inProcess.ts"
import { describeNats, startNats } from "./testdata/natsServer.ts"
import { openEdge } from "./testdata/remoteEdge.ts"

/** A whole message of the next version, and one of a version that is none. */
const [next, none] = [Uint8Array.of(contractVersion + 1, 0, 1), Uint8Array.of(255, 0, 1)]

describeNats("a contract that others do not understand", () => {
  it("is one line of the log of an edge and of an executor, and seen by a survey", () => {
    const lines: Array<string> = []
    const logger = Logger.replace(
      Logger.defaultLogger,
      Logger.make(({ message }) => void lines.push(String(message)))
    )
    const speaking = () => lines.filter((line) => line.includes("of the contract")).toSorted()
    return run(
      Effect.gen(function* () {
        const { url } = yield* startNats()
        const connection = NatsConnection.layer({ servers: [url] })
        yield* openExecutor(url)
        yield* openEdge(url)
        yield* Effect.gen(function* () {
          const { publish } = yield* NatsConnection
          const send = Effect.sync(() => {
            for (const subject of [beatSubject("default"), runSubject("default")]) for (const one of [next, next]) publish(subject, one)
          })
          yield* Effect.zipRight(
            send,
            eventually(() => speaking().length === 2)
          )
          const ours = `version ${contractVersion}: no run goes from one to the other; update`
          expect(speaking()).toEqual([
            `executors of net default speak version ${contractVersion + 1} of the contract of the cluster, this edge ${ours} this edge`,
            `servers of net default speak version ${contractVersion + 1} of the contract of the cluster, this executor ${ours} this executor`
          ])
          const sendBoth = Effect.zipRight(
            send,
            Effect.sync(() => publish(beatSubject("default"), none))
          )
          yield* Effect.forkScoped(Effect.forever(Effect.delay(sendBoth, 20)))
          const survey = yield* surveyNet("default", 2_000)
          expect(survey.otherVersions).toEqual([contractVersion + 1, 255])
        }).pipe(Effect.provide(Layer.fresh(connection)))
      }).pipe(Effect.provide(logger))
    )
  })
})
