/** Deploys a program: checks that a phase can run it, stores it, and tells what is true of it. */
import { readFile } from "node:fs/promises"
import { defaultLimits, type Limits, type Phase, ProgramStore } from "@sibyl/core"
import { checkProgram } from "@sibyl/vm"
import { Effect, Either } from "effect"
import { amountText } from "../input/amount.ts"
import type { Answer } from "../output/answer.ts"
import { CommandFailed } from "../output/failure.ts"
import { fields } from "../output/table.ts"

const reading = (path: string) =>
  Effect.tryPromise({
    try: () => readFile(path),
    catch: (cause) => {
      const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause)
      return new CommandFailed({ message: `${path} cannot be read (${code})` })
    }
  })

const verdict = (program: Uint8Array, phase: Phase, limits: Limits): string | null =>
  Either.match(checkProgram(program, phase, limits), { onLeft: ({ message }) => message, onRight: () => null })

/** Why neither phase would run it. */
const unfit = (path: string, exec: string, tally: string): CommandFailed =>
  new CommandFailed({
    message: `${path} cannot run as an Oracle Program: ${exec === tally ? exec : `execution: ${exec}; tally: ${tally}`}`
  })

const phaseText = (refusal: string | null): string => refusal ?? "runs"

/** Deploys the module in a file. A program may be made for one phase only. */
export const deployProgram = (path: string, limits: Partial<Limits>) =>
  Effect.gen(function*() {
    const program = yield* reading(path)
    const bounds = { ...defaultLimits, ...limits }
    const [exec, tally] = [verdict(program, "exec", bounds), verdict(program, "tally", bounds)]
    if (exec !== null && tally !== null) return yield* unfit(path, exec, tally)
    const programId = yield* Effect.flatMap(ProgramStore, (store) => store.put(program))
    const answer: Answer = {
      document: { programId, sizeBytes: program.length, phases: { exec: exec === null, tally: tally === null } },
      lines: (paint) =>
        fields(
          [
            ["program", paint("bold", programId)],
            ["size", `${amountText(BigInt(program.length))} bytes`],
            ["execution", phaseText(exec)],
            ["tally", phaseText(tally)]
          ],
          paint
        )
    }
    return answer
  })
