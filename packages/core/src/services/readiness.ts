/** Whether the service can start runs now: checks its database, its workers and its signer within a second. */
import { Cause, Clock, Context, Effect, Fiber, Layer, Option } from "effect"
import { ProgramRuntime } from "../ports/programRuntime.ts"
import { Signer } from "../ports/signer.ts"
import { logFailed } from "../ports/logs/logFailed.ts"
import { StoreCheck } from "../ports/storeCheck.ts"
import { checkedSign } from "../ports/signing/checkedSign.ts"

/** The result by part: `undefined` if the part works, else one line about the problem, without internal details. */
export interface ReadinessReport {
  readonly database: string | undefined
  readonly workers: string | undefined
  readonly signer: string | undefined
}

/** A part that has not answered within this time has failed. */
const patienceMs = 800

/** How long an answer is reused: anyone may ask without a key, and must not keep the database busy. */
const keptMs = 500

/** The pause between two checks of workers that are being replaced. */
const lookAgainMs = 25

const digest = Uint8Array.from({ length: 32 }, (_, at) => at + 1)

/** Checks whether the service is ready. */
export class Readiness extends Context.Tag("@sibyl/core/Readiness")<Readiness, { readonly check: Effect.Effect<ReadinessReport> }>() {
  /** Over the ports. A check that hangs is abandoned, and interrupted with the layer at the latest. */
  static readonly layer = Layer.scoped(
    Readiness,
    Effect.gen(function* () {
      const store = yield* StoreCheck
      const runtime = yield* ProgramRuntime
      const signer = yield* Signer
      const scope = yield* Effect.scope

      const workersUp = Effect.repeat(
        Effect.tap(runtime.readyWorkers ?? Effect.succeed(1), (count) => (count > 0 ? Effect.void : Effect.sleep(lookAgainMs))),
        { while: (count) => count === 0 }
      )
      const parts = new FailedParts()
      const checks = Effect.all(
        {
          database: problemOf("the database", store.check, parts),
          workers: problemOf("the workers", workersUp, parts),
          signer: problemOf("the signer", checkedSign(signer)(digest), parts)
        },
        { concurrency: "unbounded" }
      )

      let latest: { readonly sinceMs: number; readonly fiber: Fiber.Fiber<ReadinessReport> } | undefined
      const check = Effect.gen(function* () {
        const nowMs = Number(yield* Clock.currentTimeNanos) / 1e6
        if (latest === undefined || nowMs - latest.sinceMs >= keptMs) {
          latest = { sinceMs: nowMs, fiber: yield* Effect.forkIn(checks, scope) }
        }
        return yield* Fiber.join(latest.fiber)
      })
      return { check }
    })
  )
}

/** Logs when a part fails and when it is back, however often somebody asks meanwhile. */
class FailedParts {
  readonly #failed = new Set<string>()

  failed(part: string, line: Effect.Effect<void>): Effect.Effect<void> {
    if (this.#failed.has(part)) return Effect.void
    this.#failed.add(part)
    return line
  }

  works(part: string): Effect.Effect<void> {
    return this.#failed.delete(part) ? Effect.logInfo(`ready again: ${part} can be used`) : Effect.void
  }
}

/** What is wrong with a part. The text of its failure goes to the log only, because anyone may ask. */
const problemOf = (part: string, check: Effect.Effect<unknown>, parts: FailedParts): Effect.Effect<string | undefined> => {
  const late = `${part} did not answer within ${patienceMs} ms`
  return Effect.disconnect(Effect.interruptible(check)).pipe(
    Effect.as(undefined),
    Effect.tap(() => parts.works(part)),
    Effect.catchAllCause((cause) =>
      Cause.isInterruptedOnly(cause)
        ? Effect.failCause(cause)
        : Effect.as(parts.failed(part, logFailed(`not ready: ${part} failed`, cause)), `${part} cannot be used now`)
    ),
    Effect.timeoutOption(patienceMs),
    Effect.flatMap(
      Option.match({
        onSome: Effect.succeed,
        onNone: () => Effect.as(parts.failed(part, Effect.logWarning(`not ready: ${late}`)), late)
      })
    )
  )
}
