/** Runs a phase again on its tape: one pass, to which nothing is answered that the tape does not hold. */
import type { PhaseOutcome, PhaseRequest } from "@sibyl/core"
import { Data, Effect, Either } from "effect"
import { terminalEnding } from "../pass/ending.ts"
import type { PassReply } from "../pool/passJob.ts"
import type { WorkerPool } from "../pool/workerPool.ts"
import { readTape } from "../tape/tapeText.ts"
import { outcomeOfEnding } from "./phaseOutcome.ts"
import { proxyUsesOf } from "../tape/proxyUses.ts"
import type { Tape } from "../tape/tape.ts"

/** The phase does not do what its tape says. */
export class ReplayDiverged extends Data.TaggedError("ReplayDiverged")<{ readonly message: string }> {}

/** Longer than a phase may take: what the tape of a phase says took as long as it may, too. */
const budgetMs = 600_000

const diverged = (message: string) => Effect.fail(new ReplayDiverged({ message }))

/** Without the name of the error, and where in our code it was thrown. */
const firstLine = (message: string): string => (message.split("\n")[0] ?? "").replace(/^\w+: /, "")

const outcomeOf = (reply: PassReply, { gasLimit, phase }: PhaseRequest, tape: Tape): Effect.Effect<PhaseOutcome, ReplayDiverged> => {
  switch (reply.kind) {
    case "passed":
      switch (reply.result.kind) {
        case "done":
          return Effect.succeed({ ...outcomeOfEnding(reply.result.ending), proxies: proxyUsesOf(tape) })
        case "stackOverflow":
          // A tally's tape does not say so: its outcome follows from its inputs.
          return phase === "tally"
            ? Effect.succeed(outcomeOfEnding(terminalEnding(phase, { kind: "stackOverflow" }, gasLimit)))
            : diverged("it overflows the stack of this engine")
        case "needs":
          return diverged(`it asks for an answer that the tape does not hold: ${reply.result.call.kind}`)
      }
    case "defect":
      return diverged(firstLine(reply.message))
    case "deadline":
      return diverged(`it takes longer than ${budgetMs / 1_000} s`)
    default:
      return diverged(`no worker ran it: ${reply.kind}`)
  }
}

/** The outcome of a phase on the tape of this text; of its request, `storage` and what concerns waiting are not looked at. */
export const replayPhase = (pool: WorkerPool, request: PhaseRequest, tapeText: string): Effect.Effect<PhaseOutcome, ReplayDiverged> => {
  const read = readTape(tapeText)
  if (Either.isLeft(read)) return diverged(`its tape cannot be read: ${read.left}`)
  const tape = read.right
  const { args, envs, gasLimit, limits, phase, program, programId, projectId } = request
  return Effect.async<PhaseOutcome, ReplayDiverged>((resume) => {
    const takeBack = pool.submit(
      {
        source: { programId, bytes: program, memoryPages: limits.memoryPages },
        input: { phase, args, envs, gasLimit, tape, limits },
        budgetMs,
        projectId,
        first: true
      },
      (reply) => resume(outcomeOf(reply, request, tape))
    )
    return Effect.sync(takeBack)
  })
}
