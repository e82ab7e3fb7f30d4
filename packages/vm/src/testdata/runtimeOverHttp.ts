/** The program runtime over HTTP answers that a test defines, and requests with default settings. */
import {
  defaultLimits,
  HttpFetch,
  type OutboundRequest,
  type OutboundResponse,
  type PhaseOutcome,
  type PhaseRequest,
  ProgramRuntime,
  programIdOf
} from "@sibyl/core"
import { Effect, Layer, ManagedRuntime } from "effect"
import { layerProgramRuntime, type RuntimeOptions } from "../runtime.ts"
import { ampleGas } from "./runProgram.ts"

/** A runtime for a test; `dispose` ends its workers. */
export interface TestRuntime {
  readonly run: (request: PhaseRequest, signal?: AbortSignal) => Promise<PhaseOutcome>
  readonly dispose: () => Promise<void>
}

/** The upstream of programs: its answer to a request, as an effect. */
export type Upstream = (request: OutboundRequest) => Effect.Effect<OutboundResponse>

/** An upstream that answers every request with this text at once. */
export const answeringWith =
  (text: string): Upstream =>
  ({ url }) => {
    const bytes = new TextEncoder().encode(text)
    return Effect.succeed({
      kind: "answered",
      status: 200,
      headers: [["content-type", "text/plain"]],
      bytes,
      url,
      contentLength: bytes.length
    })
  }

/** Starts a runtime. */
export const openRuntime = (options: RuntimeOptions = {}, upstream: Upstream = answeringWith("hello")): TestRuntime => {
  const http = Layer.succeed(HttpFetch, { fetch: upstream })
  const runtime = ManagedRuntime.make(layerProgramRuntime(options).pipe(Layer.provide(http)))
  return {
    run: (request, signal) =>
      runtime.runPromise(
        Effect.flatMap(ProgramRuntime, (programs) => programs.run(request)),
        signal === undefined ? {} : { signal }
      ),
    dispose: () => runtime.dispose()
  }
}

/** A request to run this program. */
export const requestFor = (program: Uint8Array, over: Partial<PhaseRequest> = {}): PhaseRequest => ({
  phase: "exec",
  projectId: "project",
  programId: programIdOf(program),
  program,
  args: [],
  envs: [["VM_MODE", "dr"]],
  gasLimit: ampleGas,
  limits: defaultLimits,
  ...over
})
