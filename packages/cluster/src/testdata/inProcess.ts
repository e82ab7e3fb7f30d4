/** Executors in this process, and requests to them. */
import { defaultLimits, Entropy, HttpFetch, type OutboundRequest, type OutboundResponse, type PhaseRequest, programIdOf } from "@sibyl/core"
import { callingProgram, type ProgramCall } from "@sibyl/testing/wasm"
import { Context, Effect, Layer, type Scope } from "effect"
import { NatsConnection } from "../connection/natsConnection.ts"
import { Executor, type ExecutorOptions } from "../executor/executor.ts"
import { eventually } from "./eventually.ts"
import type { Machine } from "./remoteEdge.ts"

/** Runs a test in a scope of its own. */
export const run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>): Promise<A> => Effect.runPromise(Effect.scoped(effect))

/** An upstream that says what it was asked. */
export const echo = ({ url }: OutboundRequest): Effect.Effect<OutboundResponse> => {
  const bytes = new TextEncoder().encode(`about ${url}`)
  return Effect.succeed({ kind: "answered", status: 200, headers: [["a", "b"]], bytes, url, contentLength: bytes.length })
}

/** An executor in this process. */
export const openExecutor = (url: string, options: ExecutorOptions = {}, fetch = echo) =>
  Executor.layer({ workers: 1, ...options }).pipe(
    Layer.provide([NatsConnection.layer({ servers: [url] }), Layer.succeed(HttpFetch, { fetch }), Entropy.layer]),
    Layer.build,
    Effect.map((context) => Context.get(context, Executor))
  )

/** Waits until the edge has heard of so many executors. */
export const ready = ({ readyWorkers }: Machine, count = 1): Effect.Effect<void> =>
  eventually(() => Effect.runSync(readyWorkers ?? Effect.succeed(0)) >= count)

/** A request with default settings. */
export const requestFor = (program: Uint8Array, over: Partial<PhaseRequest> = {}): PhaseRequest => ({
  phase: "exec",
  projectId: "project",
  programId: programIdOf(program),
  program,
  args: [],
  envs: [["VM_MODE", "dr"]],
  gasLimit: 300_000_000_000_000n,
  limits: defaultLimits,
  ...over
})

/** A program that makes so many requests one after the other. */
export const fetching = (count: number): Uint8Array =>
  callingProgram(Array.from({ length: count }, (_, at): ProgramCall => ({ kind: "fetch", url: `https://u.test/${at}` })))
