/** A machine for simulated time that plays the kit's programs instead of running them: same results and exit codes, gas of its own. */
import { type PhaseOutcome, type PhaseRequest, programIdOf, ProgramRuntime } from "@sibyl/core"
import { Effect, Layer } from "effect"
import { auditPrograms } from "../../audits/programs/auditPrograms.ts"

/** The bytes that stand for the program that asks the upstream; only this machine can play it. */
export const playedAskingProgram = new TextEncoder().encode("asks the upstream")

/** What a played program does in a phase. */
type Ending = Pick<PhaseOutcome, "exitCode" | "result"> & { readonly stderr?: string; readonly reason?: string }
type Play = (phase: PhaseRequest) => Ending

const bytesOf = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, "hex"))
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

/** The bytes of the first reveal, in the second argument of a tally. */
const firstReveal = (args: ReadonlyArray<string>): Uint8Array => {
  const [first] = JSON.parse(args[1] ?? "[]") as ReadonlyArray<{ readonly reveal: ReadonlyArray<number> }>
  return Uint8Array.from(first?.reveal ?? [])
}

const echo: Play = ({ args, phase }) => {
  const own = bytesOf(args[0] ?? "")
  return { exitCode: 0, result: phase === "tally" && own.length === 0 ? firstReveal(args) : own }
}

const failing: Play = () => ({ exitCode: 3, result: utf8("half done"), stderr: "boom" })

const failingInTally: Play = ({ phase }) => ({
  exitCode: phase === "tally" ? 4 : 0,
  result: utf8("revealed"),
  ...(phase === "tally" ? { stderr: "boom" } : {})
})

const trapping: Play = () => ({ exitCode: 1, result: utf8("before"), reason: "unreachable" })

const plays: ReadonlyMap<string, Play> = new Map([
  [programIdOf(auditPrograms.echo), echo],
  [programIdOf(auditPrograms.failing), failing],
  [programIdOf(auditPrograms.failingInTally), failingInTally],
  [programIdOf(auditPrograms.trapping), trapping]
])

const asking = programIdOf(playedAskingProgram)

const answered: Play = (request) => (request.phase === "tally" ? echo(request) : { exitCode: 0, result: utf8("42") })
const unanswered: Play = () => ({ exitCode: 5, result: new Uint8Array(), stderr: "no answer" })

/** Gas that depends on the request alone. */
const gasOf = ({ args, phase, programId }: PhaseRequest): bigint =>
  BigInt(1 + (parseInt(programId.slice(0, 2), 16) % 5)) * 1_000_000_000_000n +
  BigInt((args[0] ?? "").length) * (phase === "exec" ? 10_000_000n : 1n)

/** Inputs of the form `slow 25` take as many ms; every other execution takes none, and asking takes five. */
const tookMs = ({ args, phase, programId }: PhaseRequest): number => {
  if (phase === "tally") return 0
  if (programId === asking) return 5
  const [, ms] = /^slow (\d+)$/.exec(Buffer.from(args[0] ?? "", "hex").toString()) ?? []
  return Number(ms ?? 0)
}

const outcomeOf = (request: PhaseRequest, { exitCode, reason, result, stderr = "" }: Ending): PhaseOutcome => {
  const gasUsed = gasOf(request)
  const facts = {
    exitCode,
    exitMessage: exitCode === 0 ? "Ok" : "Not ok",
    gasUsed,
    gasCharged: gasUsed,
    result,
    stdout: "",
    stderr,
    proxies: []
  }
  return reason === undefined ? facts : { ...facts, reason }
}

/** Plays the programs. `isUp`: whether the upstream answers, asked when the program would have its answer. */
export const layerPlayedMachine = (isUp: () => boolean): Layer.Layer<ProgramRuntime> => {
  const end = (request: PhaseRequest): PhaseOutcome => {
    const play = request.programId === asking ? (isUp() ? answered : unanswered) : (plays.get(request.programId) ?? failing)
    return outcomeOf(request, play(request))
  }
  return Layer.succeed(ProgramRuntime, {
    run: (request) => {
      const ms = tookMs(request)
      const ending = Effect.sync(() => end(request))
      return ms === 0 ? ending : Effect.delay(ending, ms)
    },
    mayAskProxies: () => false
  })
}
