/** The simulated programs: what ran, where and when, and the runtime of one process that runs them by plan. */
import {
  type FollowingTally,
  Overloaded,
  type PhaseOutcome,
  type PhaseRequest,
  ProgramRuntime,
  RuntimeDefect,
  type RunOutcome
} from "@sibyl/core"
import { fromHex, fromUtf8, revealOf, tallyBaseOf, tallyDecisionOf, toHex, toUtf8Lossy } from "@sibyl/core/internal"
import { Cause, Effect, Exit, Layer } from "effect"
import type { SimClock } from "../../clock/simClock.ts"
import type { Faults } from "./faults.ts"
import { countPlan, drawPlan, type ProgramPlan } from "./programPlan.ts"
import type { SeededRandom } from "./seededRandom.ts"

/** One run as the machine saw it. Times are monotonic ms. */
export interface MachineRun {
  /** 0, 1, 2 ... over all processes. */
  readonly number: number
  /** The text of its inputs. */
  readonly inputs: string
  readonly projectId: string
  readonly programId: string
  /** The life of the process that ran it. */
  readonly life: string
  readonly plan: ProgramPlan
  readonly startMs: number
  /** When both phases had ended, or one had failed; undefined while it runs. */
  endMs: number | undefined
  /** Whether it came to an outcome, which has to be charged. */
  isComplete: boolean
}

const canaryOf = (projectId: string): string => `canary-of-${projectId}`

/** The text that a run's result begins with, whatever it does. */
export const resultPrefix = canaryOf

/** The form of a canary in any text. */
export const canaryForm = /canary-of-[0-9a-f-]{36}/g

/** The name under which every program stores its value. */
const storedName = "6e616d65"

const outcome = (fields: Partial<PhaseOutcome>): PhaseOutcome => {
  const { gasUsed = 1n } = fields
  return {
    exitCode: 0,
    exitMessage: "Ok",
    gasUsed,
    gasCharged: gasUsed,
    result: new Uint8Array(),
    stdout: "",
    stderr: "",
    proxies: [],
    ...fields
  }
}

const upstreamMs = (plan: ProgramPlan, request: PhaseRequest): number => {
  if (plan.upstream === undefined) return 0
  if (plan.upstream === "slow") return Math.floor(request.limits.httpRequestTimeoutMs / 2)
  return plan.upstream === "no answer" ? request.limits.httpRequestTimeoutMs : 20
}

/** Whether a request to an upstream has failed, and the run with it. */
const failedUpstream = ({ upstream }: ProgramPlan): boolean =>
  upstream === "status 500" || upstream === "truncated" || upstream === "no answer"

const hasStored = ({ isComplete, plan }: MachineRun): boolean =>
  isComplete && plan.storesValue && plan.ending === "value" && !failedUpstream(plan)

/** All programs of a simulation. */
export class Programs {
  readonly #clock: SimClock
  readonly #random: SeededRandom
  readonly #faults: Faults
  /** What the runs with these inputs do, in turn. */
  readonly #plans = new Map<string, ReadonlyArray<ProgramPlan>>()
  readonly #begun = new Map<string, number>()
  readonly runs: Array<MachineRun> = []
  /** The runs in flight by life and project, and the most that there were. */
  readonly inFlight = new Map<string, number>()
  readonly mostInFlight = new Map<string, number>()
  /** What a run saw, or what was done to it, that must not be. */
  readonly trespasses: Array<string> = []

  constructor(clock: SimClock, random: SeededRandom, faults: Faults) {
    this.#clock = clock
    this.#random = random
    this.#faults = faults
  }

  /** What runs with these inputs will do, in turn; drawn when they are first named. */
  plansOf(inputs: string): ReadonlyArray<ProgramPlan> {
    const known = this.#plans.get(inputs)
    if (known !== undefined) return known
    const plans = Array.from({ length: this.#random.between(1, 4) }, () => drawPlan(this.#random))
    this.#plans.set(inputs, plans)
    return plans
  }

  /** The runtime of one life of a process. */
  layer(life: string, inOneOrder: boolean): Layer.Layer<ProgramRuntime> {
    const run = (request: PhaseRequest) =>
      request.phase === "exec" ? Effect.map(this.#exec(request, life), ({ phase }) => phase) : this.#tally(request)
    const runBoth = (request: PhaseRequest, following: FollowingTally) => this.#both(request, following, life)
    return Layer.succeed(ProgramRuntime, inOneOrder ? { run, runBoth } : { run })
  }

  #begin(request: PhaseRequest, life: string): MachineRun {
    const { args, programId, projectId } = request
    const inputs = toUtf8Lossy(fromHex(args[0] ?? "") ?? new Uint8Array())
    const plans = this.plansOf(inputs)
    const begun = this.#begun.get(inputs) ?? 0
    this.#begun.set(inputs, begun + 1)
    const plan = plans[begun % plans.length] ?? drawPlan(this.#random)
    countPlan(this.#faults, plan)
    const startMs = this.#clock.nowMs()
    const run: MachineRun = {
      number: this.runs.length,
      inputs,
      projectId,
      programId,
      life,
      plan,
      startMs,
      endMs: undefined,
      isComplete: false
    }
    this.runs.push(run)
    return run
  }

  #end(run: MachineRun, isComplete: boolean): void {
    run.endMs ??= this.#clock.nowMs()
    run.isComplete ||= isComplete
  }

  /** A phase that ended without an outcome. */
  #left(run: MachineRun, exit: Exit.Exit<PhaseOutcome, unknown>): void {
    if (Exit.isSuccess(exit)) return
    if (Cause.isInterruptedOnly(exit.cause)) this.trespasses.push(`${run.inputs}, run ${run.number}, was begun and then interrupted`)
    this.#end(run, false)
  }

  #counted<A, E>(run: MachineRun, phase: Effect.Effect<A, E>): Effect.Effect<A, E> {
    const place = `${run.life}/${run.projectId}`
    const add = (by: number): void => {
      const now = (this.inFlight.get(place) ?? 0) + by
      this.inFlight.set(place, now)
      this.mostInFlight.set(place, Math.max(now, this.mostInFlight.get(place) ?? 0))
    }
    return Effect.acquireUseRelease(
      Effect.sync(() => add(1)),
      () => phase,
      () => Effect.sync(() => add(-1))
    )
  }

  #exec(request: PhaseRequest, life: string): Effect.Effect<{ readonly run: MachineRun; readonly phase: PhaseOutcome }, Overloaded> {
    return Effect.suspend(() => {
      const run = this.#begin(request, life)
      const { plan } = run
      const noWorker = new Overloaded({ message: "no worker took the run", retryAfterSeconds: 1 })
      const worked = Effect.gen(this, function* () {
        if (plan.queueMs > 0) yield* Effect.sleep(plan.queueMs)
        if (plan.ending === "noWorker" || request.abandoned?.isAbandoned === true) return yield* noWorker
        if (plan.ending === "endless") {
          yield* Effect.sleep(request.limits.execWallClockMs)
          return this.#endless(run, request)
        }
        const stored = plan.storesValue ? yield* this.#readStorage(request) : undefined
        const spentMs = plan.execMs + upstreamMs(plan, request)
        if (spentMs > 0) yield* Effect.sleep(Math.min(spentMs, request.limits.execWallClockMs))
        if (plan.ending === "defect") return yield* Effect.die(new RuntimeDefect("a planned defect"))
        return this.#ended(run, request, stored)
      })
      const watched = Effect.onExit(worked, (exit) => Effect.sync(() => this.#left(run, exit)))
      return Effect.map(this.#counted(run, watched), (phase) => ({ run, phase }))
    })
  }

  #endless(run: MachineRun, { gasLimit, limits }: PhaseRequest): PhaseOutcome {
    this.#end(run, true)
    const reason = `Execution time limit exceeded (${limits.execWallClockMs}ms)`
    const result = fromUtf8(`${canaryOf(run.projectId)} ${run.number}`)
    const workerMs = limits.execWallClockMs
    return outcome({ exitCode: 1, exitMessage: "Not ok", gasUsed: gasLimit, gasCharged: 1n, workerMs, reason, result })
  }

  #ended(run: MachineRun, { projectId }: PhaseRequest, stored: number | undefined): PhaseOutcome {
    const { ending, execGas, proxyFee } = run.plan
    const isBad = ending === "failure" || failedUpstream(run.plan)
    if (isBad) this.#end(run, true)
    const text = `${canaryOf(projectId)} ${run.number}`
    return outcome({
      exitCode: isBad ? 1 : 0,
      exitMessage: isBad ? "Not ok" : "Ok",
      gasUsed: execGas,
      result: fromUtf8(text),
      stdout: `${text}\n`,
      proxies: proxyFee > 0n ? [{ publicKey: "02".padEnd(66, "ab"), feeCredits: proxyFee, calls: 1 }] : [],
      ...(stored === undefined ? {} : { storage: [{ key: storedName, value: toHex(fromUtf8(`${canaryOf(projectId)} ${stored + 1}`)) }] })
    })
  }

  /** How often the program has stored its value for this project: no more often than it has succeeded. */
  #readStorage({ programId, projectId, storage }: PhaseRequest): Effect.Effect<number> {
    if (storage === undefined) return Effect.succeed(0)
    return Effect.map(storage.read([storedName]), ({ values }) => {
      const text = toUtf8Lossy(fromHex(values.get(storedName) ?? "") ?? new Uint8Array())
      if (text === "") return 0
      const count = Number(text.split(" ")[1])
      const stored = this.runs.filter((run) => run.projectId === projectId && run.programId === programId && hasStored(run)).length
      if (!text.startsWith(canaryOf(projectId))) this.trespasses.push(`project ${projectId} read "${text}" from its storage`)
      else if (count > stored) this.trespasses.push(`project ${projectId} has stored ${stored} times, and read "${text}"`)
      return count
    })
  }

  #runOfReveal(reveals: string): { readonly run: MachineRun | undefined; readonly result: Uint8Array } {
    const [reveal] = JSON.parse(reveals) as ReadonlyArray<{ readonly reveal: ReadonlyArray<number> }>
    const result = Uint8Array.from(reveal?.reveal ?? [])
    return { run: this.runs[Number(toUtf8Lossy(result).split(" ")[1])], result }
  }

  #tally({ args, projectId }: PhaseRequest): Effect.Effect<PhaseOutcome> {
    return Effect.suspend(() => {
      const { result, run } = this.#runOfReveal(args[1] ?? "[]")
      if (run === undefined) return Effect.die(new RuntimeDefect("a tally of no known run"))
      if (run.projectId !== projectId) this.trespasses.push(`project ${projectId} tallied run ${run.number} of another project`)
      const { plan } = run
      const worked = Effect.suspend(() => {
        const isDefect = plan.ending === "tallyDefect"
        this.#end(run, !isDefect)
        if (isDefect) return Effect.die(new RuntimeDefect("a planned defect of the tally"))
        const isBad = plan.ending === "tallyFailure"
        return Effect.succeed(outcome({ exitCode: isBad ? 7 : 0, exitMessage: isBad ? "Not ok" : "Ok", gasUsed: plan.tallyGas, result }))
      })
      return plan.tallyMs === 0 ? worked : Effect.zipRight(Effect.sleep(plan.tallyMs), worked)
    })
  }

  #both(asked: PhaseRequest, { blockHeight, program, request }: FollowingTally, life: string): Effect.Effect<RunOutcome, Overloaded> {
    return Effect.gen(this, function* () {
      const { phase: exec } = yield* this.#exec(asked, life)
      if (exec.exitCode !== 0) return { exec }
      const decision = tallyDecisionOf(tallyBaseOf(request), blockHeight, [revealOf(exec)])
      if ("refusal" in decision) return { exec, tally: decision }
      const { limits, projectId } = asked
      const [programId, gasLimit] = [request.tallyProgramId, request.tallyGasLimit]
      const phase = yield* this.#tally({ phase: "tally", projectId, programId, program, ...decision.inputs, gasLimit, limits })
      return { exec, tally: { consensus: decision.consensus, phase } }
    })
  }
}
