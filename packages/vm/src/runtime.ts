/** The program runtime: the `ProgramRuntime` port over deterministic passes on a pool of workers. */
import { type DataProxies, HttpFetch, InvalidOption, Metrics, type Network, type PhaseRequest, ProgramRuntime, Signer } from "@sibyl/core"
import { checkNames } from "@sibyl/core/internal"
import { Context, Effect, Layer, Redacted } from "effect"
import { drivePhase } from "./driver/drivePhase.ts"
import type { DrivenPhase } from "./driver/phaseProgress.ts"
import { Prefetching } from "./driver/prefetching.ts"
import type { PhaseProfile } from "./profile/gasProfile.ts"
import { profilePhase } from "./profile/profilePhase.ts"
import { ProxyAccess } from "./driver/proxyAccess.ts"
import { forCaller } from "./driver/runCaller.ts"
import { checkedFetch } from "./driver/checkedFetch.ts"
import { runOutcomeOf, tallyJobOf } from "./driver/followingTally.ts"
import { makeWorkerValidation } from "./driver/workerValidation.ts"
import { phaseOutcomeOf } from "./driver/phaseOutcome.ts"
import { mayAskProxies } from "./check/mayAskProxies.ts"
import { makeProgramFindings } from "./check/programFindings.ts"
import { makeProgramValidation } from "./check/programValidation.ts"
import { secureSeeds } from "./seeds.ts"
import type { TallyJob } from "./pool/passJob.ts"
import type { SigningThread } from "./orders/resultSigner.ts"
import { poolNames } from "./pool/checkedPool.ts"
import type { PoolSettings } from "./pool/poolSettings.ts"
import { scopedPool } from "./pool/scopedPool.ts"

/** Where the gas of each phase goes, for whoever writes programs. */
export interface Profiling {
  /** A build of the same sources whose name section names the functions. Default: the program. */
  readonly symbols?: (request: PhaseRequest) => Uint8Array | undefined
  /** Called with the profile of each phase after its end. */
  readonly onProfile: (request: PhaseRequest, profile: PhaseProfile) => void
}

/** How large the runtime is, and where its programs' randomness comes from. Everything has a default; what breaks its rule is an `InvalidOption`, a defect. */
export interface RuntimeOptions extends PoolSettings {
  /** 32 bytes for each run, from which the program's `random_get` follows. Default: the system's secure source. */
  readonly entropy?: Effect.Effect<Uint8Array>
  /** Runs each phase once more, observed, after its end: a tool for developers, which no server opens. Default: none. */
  readonly profiling?: Profiling
}

const names: Readonly<Record<keyof RuntimeOptions, true>> = { ...poolNames, entropy: true, profiling: true }

/** What a compiler would refuse; the pool checks its own settings. */
const checkOptions = (options: RuntimeOptions): void => {
  checkNames(options, names)
  const { entropy, profiling } = options
  if (entropy !== undefined && !Effect.isEffect(entropy)) throw new InvalidOption("entropy", "must be an Effect of 32 bytes")
  if (profiling !== undefined && typeof profiling.onProfile !== "function") {
    throw new InvalidOption("profiling", "must have a function onProfile")
  }
}

const profiled = (request: PhaseRequest, { ending, tape }: DrivenPhase, { onProfile, symbols }: Profiling): Effect.Effect<void> =>
  Effect.map(profilePhase(request, tape, ending.gasUsed, symbols?.(request)), (profile) => onProfile(request, profile))

/** Verdicts on programs that are kept: texts, or nothing. */
const rememberedVerdicts = 1_000

/** Findings of programs that are kept: a few sentences each. */
const rememberedFindings = 1_000

const signingThreadOf = ({ inThreads }: Context.Tag.Service<Signer>): SigningThread | undefined =>
  inThreads === undefined ? undefined : { ...inThreads, secret: Uint8Array.from(Redacted.value(inThreads.secret)) }

/** The runtime over its two ways out: plain requests, and those to data proxies. */
const layerRuntime = (options: RuntimeOptions, signing?: SigningThread): Layer.Layer<ProgramRuntime, never, HttpFetch | ProxyAccess> =>
  Layer.scoped(
    ProgramRuntime,
    Effect.gen(function* () {
      yield* Effect.sync(() => checkOptions(options))
      const pool = yield* scopedPool(options, signing)
      const outside = Context.make(HttpFetch, checkedFetch(yield* HttpFetch)).pipe(
        Context.add(ProxyAccess, yield* ProxyAccess),
        Context.add(Metrics, yield* Metrics)
      )
      const validate = makeProgramValidation(rememberedVerdicts)
      const findings = makeProgramFindings(validate, rememberedFindings)
      const prefetching = new Prefetching()
      const { entropy = secureSeeds() } = options
      const drive = (request: PhaseRequest, tally?: TallyJob) =>
        Effect.flatMap(entropy, (seed) =>
          forCaller(outside, (caller) => {
            const tape = { startTimeMs: Math.floor(caller.clock.unsafeCurrentTimeMillis()), seed, entries: [] }
            return prefetching.around(caller, request, (prefetch) => drivePhase({ pool, caller }, request, tape, prefetch, tally))
          })
        )
      const { profiling } = options
      const machine: Context.Tag.Service<ProgramRuntime> = {
        mayAskProxies,
        readyWorkers: Effect.sync(() => pool.readyWorkers),
        validate:
          options.isolation === "process"
            ? makeWorkerValidation(pool, rememberedVerdicts)
            : (request) => Effect.sync(() => validate(request)),
        findings: (request) => Effect.sync(() => findings(request)),
        run: (request) => Effect.map(drive(request), (run) => phaseOutcomeOf(run, request))
      }
      // Each phase is profiled from its own tape, so they run one by one then.
      if (profiling !== undefined) {
        return {
          ...machine,
          run: (request) =>
            Effect.flatMap(drive(request), (run) => Effect.as(profiled(request, run.driven, profiling), phaseOutcomeOf(run, request)))
        }
      }
      return {
        ...machine,
        runBoth: (exec, tally) =>
          Effect.map(drive(exec, tallyJobOf(exec, tally)), (run) => runOutcomeOf(run, exec, tally.request.tallyGasLimit))
      }
    })
  )

/**
 * The runtime over the outbound HTTP it is given. Its workers start with the layer and end with it. It knows no data
 * proxies: a proxied fetch is refused before it goes out.
 */
export const layerProgramRuntime = (options: RuntimeOptions = {}): Layer.Layer<ProgramRuntime, never, HttpFetch> =>
  Layer.provide(layerRuntime(options), ProxyAccess.layerNone)

/**
 * The same, with the registered data proxies. They are asked through the same outbound HTTP; each request carries a
 * proof for the service's network, made by its signer. If the signer lets threads sign, workers sign the results of the runs that they end.
 */
export const layerProxiedProgramRuntime = (
  options: RuntimeOptions = {}
): Layer.Layer<ProgramRuntime, never, HttpFetch | DataProxies | Network | Signer> =>
  Layer.unwrapEffect(
    Effect.map(Signer, (signer) => Layer.provide(layerRuntime(options, signingThreadOf(signer)), ProxyAccess.layerRegistered))
  )
