/** The bench of `sibyl run`, as a server of this configuration would have its machine. */
import { layerHttpFetch, type OutboundOptions } from "@sibyl/vm/http"
import { type BenchOptions, openProgramBench, type ProgramBench, ProgramRunRefused } from "@sibyl/devkit"
import { Cause, Effect, Runtime, type Scope } from "effect"
import type { Configuration } from "../config/configuration.ts"
import { CommandFailed, InvalidConfiguration, UsageError } from "../output/failure.ts"

const rootOf = (rejection: unknown): unknown =>
  Runtime.isFiberFailure(rejection) ? Cause.squash(rejection[Runtime.FiberFailureCauseId]) : rejection

const cannotOpen = (rejection: unknown): CommandFailed | InvalidConfiguration => {
  const cause = rootOf(rejection)
  const text = cause instanceof Error ? cause.message : String(cause)
  // The outbound options are the one part that only the machine checks.
  return cause instanceof TypeError
    ? new InvalidConfiguration({ field: "outbound", rule: "hosts and origins", message: `outbound: ${text}` })
    : new CommandFailed({ message: `the machine cannot be started: ${text}` })
}

/** A bench for as long as the scope lives. */
export const scopedBench = (options: BenchOptions): Effect.Effect<ProgramBench, CommandFailed | InvalidConfiguration, Scope.Scope> =>
  Effect.acquireRelease(Effect.tryPromise({ try: () => openProgramBench(options), catch: cannotOpen }), (bench) =>
    Effect.promise(() => bench.close())
  )

/** Service, prices and way out of a configuration, with what is said about the way out on top. */
export const benchOptionsOf = ({ outbound, service, tariff }: Configuration, own: OutboundOptions): BenchOptions => ({
  service,
  tariff,
  http: layerHttpFetch({
    ...outbound,
    ...own,
    hostOverrides: { ...outbound.hostOverrides, ...own.hostOverrides }
  })
})

/** Why a request was not run. What the service tells a client about its parameters is about the command line here. */
export const runRefused = (rejection: unknown): CommandFailed | UsageError => {
  const cause = rootOf(rejection)
  const message = cause instanceof Error ? cause.message : String(cause)
  const isUsage =
    (cause instanceof ProgramRunRefused && cause.status === 400) ||
    (cause instanceof Error && "_tag" in cause && cause._tag === "InvalidSetting")
  return isUsage ? new UsageError({ message }) : new CommandFailed({ message })
}
