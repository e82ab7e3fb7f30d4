/** The program runtime of an edge whose programs run on executors behind NATS. */
import {
  type DataProxies,
  Entropy,
  metricList,
  Metrics,
  type FollowingTally,
  type Network,
  type Overloaded,
  type PhaseRequest,
  ProgramRuntime,
  type RunOutcome,
  type Signer
} from "@sibyl/core"
import { spanHere, toHex } from "@sibyl/core/internal"
import { makeProgramFindings, makeProgramValidation, mayAskProxies, ProxyAccess, type TallyJob, tallyJobOf } from "@sibyl/vm/internal"
import { type Context, Effect, Layer, Option } from "effect"
import { Channel } from "../channel/channel.ts"
import { NatsConnection } from "../connection/natsConnection.ts"
import { trySending } from "../channel/trySending.ts"
import { checkNetName } from "../channel/netName.ts"
import type { NatsForbidden, NatsMisconfigured } from "../connection/natsErrors.ts"
import { permitted } from "../connection/permitted.ts"
import { answersOf } from "./edgeAnswers.ts"
import { EdgeRuns } from "./edgeRuns.ts"
import { RunUnderWay } from "./runUnderWay.ts"
import { traceOf } from "./traceOf.ts"

/** To which executors an edge gives its runs. */
export interface RemoteRuntimeOptions {
  /** The executors with this outbound policy. 1 to 32 lowercase letters, digits and hyphens. Default `default`. */
  readonly net?: string
  /** Executors of this zone are preferred. Default: none. */
  readonly zone?: string
}

const seedBytes = 32
const edgeIdBytes = 16
const nameBytes = 16

/** Verdicts on programs that are kept: texts, or nothing. */
const rememberedVerdicts = 1_000

/** The executions of one replicated run by what each has. */
type Replicas = Map<RunUnderWay, string>

/** The replicated runs that are under way. */
class ReplicatedRuns {
  readonly #byId = new Map<string, Replicas>()

  /** The executions of the run to which this one belongs, if that has several. */
  of({ replication }: PhaseRequest): Replicas | undefined {
    if (replication === undefined) return undefined
    const known: Replicas = this.#byId.get(replication.runId) ?? new Map()
    this.#byId.set(replication.runId, known)
    return known
  }

  /** One of its executions is over: the run is forgotten, unless another is under way. */
  left({ replication }: PhaseRequest, one: RunUnderWay): void {
    if (replication === undefined) return
    const others = [...(this.#byId.get(replication.runId)?.keys() ?? [])].filter((other) => other !== one)
    if (!others.some(({ isUnderWay }) => isUnderWay)) this.#byId.delete(replication.runId)
  }
}

/** What the runs of an edge are made from. */
interface RunParts {
  readonly runs: EdgeRuns
  readonly nowMs: () => number
  readonly entropy: Context.Tag.Service<Entropy>
  readonly proxies: Context.Tag.Service<ProxyAccess>
}

/** Begins runs: each is answered when it has ended, and is stopped when its caller leaves. */
const makeRun = ({ entropy, nowMs, proxies, runs }: RunParts) => {
  const replicated = new ReplicatedRuns()
  return (request: PhaseRequest, tally?: TallyJob): Effect.Effect<RunOutcome, Overloaded> =>
    Effect.flatMap(Effect.zip(Effect.runtime(), spanHere), ([own, span]) =>
      Effect.async((resume) => {
        const replicas = replicated.of(request)
        const tape = { startTimeMs: Math.floor(nowMs()), seed: entropy.unsafeBytes(seedBytes), entries: [] }
        let endListening: (() => void) | undefined
        const leave = () => {
          endListening?.()
          replicated.left(request, under)
        }
        const answer = answersOf(request, tally, proxies)
        const under = new RunUnderWay(
          {
            request,
            tally,
            tape,
            replicas,
            trace: traceOf(span),
            answer,
            runtime: own,
            ended: (result) => {
              leave()
              resume(result)
            }
          },
          runs
        )
        under.tell({ kind: request.abandoned?.isAbandoned === true ? "abandoned" : "time" })
        if (under.isUnderWay) endListening = request.abandoned?.onAbandoned(() => under.tell({ kind: "abandoned" }))
        return Effect.sync(() => {
          leave()
          under.stop()
        })
      })
    )
}

const layerOverAccess = ({
  net = "default",
  zone = ""
}: RemoteRuntimeOptions): Layer.Layer<ProgramRuntime, NatsMisconfigured | NatsForbidden, NatsConnection | Entropy | ProxyAccess> =>
  Layer.scoped(
    ProgramRuntime,
    Effect.gen(function* () {
      yield* checkNetName(net)
      const connection = yield* NatsConnection
      const entropy = yield* Entropy
      const proxies = yield* ProxyAccess
      const runtime = yield* Effect.runtime()
      const clock = yield* Effect.clock
      const nowMs = () => clock.unsafeCurrentTimeMillis()
      const channel = new Channel({ connection, nowMs, name: () => entropy.unsafeBytes(nameBytes) })
      const edge = toHex(entropy.unsafeBytes(edgeIdBytes))
      const metrics = yield* Metrics
      const runs = new EdgeRuns({ metrics, connection, channel, runtime, nowMs, net, zone, edge, hasProxies: Option.isSome(proxies) })
      yield* runs.open
      trySending(net, channel)
      yield* permitted(connection, "an edge")
      yield* Effect.acquireRelease(
        Effect.sync(() => metrics.read(metricList.workersReady, () => runs.roster.countTaking(nowMs()))),
        (end) => Effect.sync(end)
      )
      const run = makeRun({ runs, nowMs, entropy, proxies })
      const validate = makeProgramValidation(rememberedVerdicts)
      const findings = makeProgramFindings(validate, rememberedVerdicts)
      return {
        mayAskProxies,
        findings: (request) => Effect.sync(() => findings(request)),
        validate: (request) => Effect.sync(() => validate(request)),
        readyWorkers: Effect.sync(() => runs.roster.countTaking(nowMs())),
        run: (request) => Effect.map(run(request), ({ exec }) => exec),
        // What would sign stays here: no key leaves the edge.
        runBoth: (exec, { blockHeight, program, request }: FollowingTally) => run(exec, tallyJobOf(exec, { blockHeight, program, request }))
      }
    })
  )

/**
 * Runs phases on the executors of a net. They know no database and no key: they ask this edge for the program's storage, for data proxies
 * and for proofs. Runs that an executor loses go on at another one, from their tape.
 */
export const layerRemoteRuntime = (
  options: RemoteRuntimeOptions = {}
): Layer.Layer<ProgramRuntime, NatsMisconfigured | NatsForbidden, NatsConnection | Entropy | DataProxies | Network | Signer> =>
  Layer.provide(layerOverAccess(options), ProxyAccess.layerRegistered)
