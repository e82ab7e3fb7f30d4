/** Programs in the real VM: metered, on its workers, with prepared answers and a constant clock. */
import {
  defaultGasLimits,
  defaultLimits,
  HttpFetch,
  type OutboundRequest,
  type OutboundResponse,
  type PhaseOutcome,
  type PhaseRequest,
  ProgramRuntime,
  programIdOf
} from "@sibyl/core"
import { toHex } from "@sibyl/core/internal"
import { layerProgramRuntime } from "@sibyl/vm"
import { Clock, Effect, Layer, ManagedRuntime } from "effect"
import type { CannedAnswer } from "./bareHost.ts"

/** The environment of a run. */
export interface VmEnvironment {
  /** The constant time of the clock, epoch milliseconds. */
  readonly clockMs: number
  readonly answer: (url: string) => CannedAnswer
}

/** One reveal for a tally. */
export interface TallyReveal {
  readonly bytes: Uint8Array
  readonly exitCode?: number
  readonly isOutlier?: boolean
}

/** A VM for a test; `close` ends its workers. One run at a time. */
export interface ProgramVm {
  readonly execute: (program: Uint8Array, inputs: unknown, world: VmEnvironment) => Promise<PhaseOutcome>
  readonly tally: (program: Uint8Array, reveals: ReadonlyArray<TallyReveal>) => Promise<PhaseOutcome>
  /** The requests of the last execution. */
  readonly requests: () => ReadonlyArray<OutboundRequest>
  readonly close: () => Promise<void>
}

const encoder = new TextEncoder()

const responseTo = (answer: CannedAnswer, url: string): OutboundResponse => {
  if (typeof answer === "string") return { kind: "rejected", message: answer, timedOut: false }
  const bytes = typeof answer.body === "string" ? encoder.encode(answer.body) : answer.body
  const headers = [["content-type", "application/json"]] as const
  return { kind: "answered", status: answer.status, headers, bytes, url, contentLength: bytes.length }
}

/** The runtime's clock with a constant time. */
const clockAt = (timeMs: number): Clock.Clock => {
  const live = Clock.make()
  return {
    ...live,
    unsafeCurrentTimeMillis: () => timeMs,
    currentTimeMillis: Effect.succeed(timeMs),
    sleep: (duration) => live.sleep(duration)
  }
}

const emptyId = "00".repeat(32)

/** The execution's environment in the order of the network, with all values at their defaults. */
const execEnvs = (programId: string): PhaseRequest["envs"] => [
  ["VM_MODE", "dr"],
  ["DR_ID", emptyId],
  ["DR_HEIGHT", "0"],
  ["EXEC_PROGRAM_ID", programId],
  ["DR_REPLICATION_FACTOR", "1"],
  ["DR_GAS_PRICE", "0"],
  ["DR_EXEC_GAS_LIMIT", "300000000000000"],
  ["DR_TALLY_GAS_LIMIT", "50000000000000"],
  ["DR_MEMO", ""],
  ["DR_PAYBACK_ADDRESS", ""],
  ["TALLY_PROGRAM_ID", programId],
  ["TALLY_INPUTS", ""],
  ["CHAIN_ID", "sibyl-1-local"]
]

const tallyEnvs = (programId: string): PhaseRequest["envs"] => [
  ["BLOCK_HEIGHT", "0"],
  ["CONSENSUS", "true"],
  ["DR_GAS_PRICE", "0"],
  ["DR_ID", emptyId],
  ["DR_MEMO", ""],
  ["DR_PAYBACK_ADDRESS", ""],
  ["DR_REPLICATION_FACTOR", "1"],
  ["DR_TALLY_GAS_LIMIT", "50000000000000"],
  ["EXEC_GAS_LIMIT", "300000000000000"],
  ["EXEC_INPUTS", ""],
  ["EXEC_PROGRAM_ID", programId],
  ["TALLY_INPUTS", ""],
  ["TALLY_PROGRAM_ID", programId],
  ["VM_MODE", "tally"]
]

/** Inputs as clients give them: the bytes of a text, or the JSON of any other value. */
const bytesOf = (inputs: unknown): Uint8Array => encoder.encode(typeof inputs === "string" ? inputs : JSON.stringify(inputs))

const revealsJson = (reveals: ReadonlyArray<TallyReveal>): string =>
  JSON.stringify(
    reveals.map(({ bytes, exitCode = 0 }) => ({
      reveal: [...bytes],
      dr_id: emptyId,
      dr_block_height: 0,
      exit_code: exitCode,
      gas_used: 15_000_000_000_000,
      proxy_public_keys: []
    }))
  )

/** Starts a VM with one worker. */
export const openProgramVm = (): ProgramVm => {
  let world: VmEnvironment = { clockMs: 0, answer: () => "no world" }
  let requests: Array<OutboundRequest> = []
  const http = Layer.succeed(HttpFetch, {
    fetch: (request) =>
      Effect.sync(() => {
        requests.push(request)
        return responseTo(world.answer(request.url), request.url)
      })
  })
  const runtime = ManagedRuntime.make(layerProgramRuntime({ workers: 1 }).pipe(Layer.provide(http)))
  const run = (program: Uint8Array, request: Pick<PhaseRequest, "phase" | "args" | "envs" | "gasLimit">) => {
    const programId = programIdOf(program)
    const whole: PhaseRequest = { projectId: "project", programId, program, limits: defaultLimits, ...request }
    return runtime.runPromise(
      Effect.flatMap(ProgramRuntime, (programs) => programs.run(whole)).pipe(Effect.withClock(clockAt(world.clockMs)))
    )
  }
  return {
    execute: (program, inputs, itsWorld) => {
      world = itsWorld
      requests = []
      const args = [toHex(bytesOf(inputs))]
      const envs = execEnvs(programIdOf(program))
      return run(program, { phase: "exec", args, envs, gasLimit: defaultGasLimits.exec })
    },
    tally: (program, reveals) => {
      const consensus = `[${reveals.map(({ isOutlier = false }) => (isOutlier ? 1 : 0)).join(",")}]`
      const args = ["", revealsJson(reveals), consensus]
      const envs = tallyEnvs(programIdOf(program))
      return run(program, { phase: "tally", args, envs, gasLimit: defaultGasLimits.tally })
    },
    requests: () => requests,
    close: () => runtime.dispose()
  }
}
