/** Whether a phase could start a program, found out by a worker: it compiles the module, and may be lost by that. */
import { Effect } from "effect"
import { LRUCache } from "lru-cache"
import { sizeFault } from "../check/sizeFault.ts"
import type { ValidationRequest } from "../check/programValidation.ts"
import type { PassReply } from "../pool/passJob.ts"
import type { WorkerPool } from "../pool/workerPool.ts"
import { emptyTape, type WorkerLoss } from "../tape/tape.ts"

/** Compiling takes less than 2 s on a machine that has nothing else to do. */
const budgetMs = 10_000

/** Checks take their turns beside those of the projects. */
const projectId = "checks of programs"

/** Why a program that has ended its workers is refused. */
const lostText = (loss: WorkerLoss): string =>
  loss.why === "memory" ? `it takes more than the ${loss.limitMib} MiB of a worker` : "it ends the worker that has it"

type Verdict = { readonly why: string | undefined; readonly isLasting: boolean }

const verdictOf = (reply: PassReply): Verdict => {
  switch (reply.kind) {
    case "checked":
      return { why: reply.fault, isLasting: true }
    case "lost":
      // The pool remembers it, for as long as it does.
      return { why: lostText(reply.loss), isLasting: false }
    case "deadline":
      return { why: `compiling it takes longer than ${budgetMs / 1_000} s`, isLasting: false }
    default:
      // No worker looked at it: whoever runs it will know.
      return { why: undefined, isLasting: false }
  }
}

const asked = (pool: WorkerPool, { limits, phase, program, programId }: ValidationRequest): Effect.Effect<Verdict> =>
  Effect.async((resume) => {
    const takeBack = pool.submit(
      {
        source: { programId, bytes: program, memoryPages: limits.memoryPages },
        input: { phase, args: [], envs: [], gasLimit: 0n, limits, tape: emptyTape },
        budgetMs,
        projectId,
        first: true,
        isCheck: true
      },
      (reply) => resume(Effect.succeed(verdictOf(reply)))
    )
    return Effect.sync(takeBack)
  })

/** Caches up to `kept` verdicts. Returns why the phase could not start the program, `undefined` if it could. */
export const makeWorkerValidation = (
  pool: WorkerPool,
  kept: number
): ((request: ValidationRequest) => Effect.Effect<string | undefined>) => {
  const verdicts = new LRUCache<string, Verdict>({ max: kept })
  return (request) => {
    const { limits, phase, program, programId } = request
    const tooLarge = sizeFault(program, limits)
    if (tooLarge !== undefined) return Effect.succeed(tooLarge)
    // It may have passed its check, and ended its workers later.
    const loss = pool.deadly.lossOf(phase, { programId, bytes: program, memoryPages: limits.memoryPages })
    if (loss !== undefined) return Effect.succeed(lostText(loss))
    const name = `${phase} ${programId} ${limits.memoryPages}`
    const known = verdicts.get(name)
    if (known !== undefined) return Effect.succeed(known.why)
    return Effect.map(asked(pool, request), (verdict) => {
      if (verdict.isLasting) verdicts.set(name, verdict)
      return verdict.why
    })
  }
}
