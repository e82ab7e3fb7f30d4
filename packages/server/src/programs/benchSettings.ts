/** The bench of `sibyl run`, with the VM settings of a server with this configuration. */
import { layerHttpFetch, type OutboundOptions } from "@sibyl/vm/http"
import { type BenchOptions, openProgramBench, type ProgramBench, ProgramRunRefused } from "@sibyl/devkit"
import { Cause, Effect, Runtime, type Scope } from "effect"
import type { Configuration } from "../config/configuration.ts"
import { CommandFailed, type InvalidConfiguration, UsageError } from "../output/failure.ts"
import { optionFault } from "../output/optionFault.ts"

const rootOf = (rejection: unknown): unknown =>
  Runtime.isFiberFailure(rejection) ? Cause.squash(rejection[Runtime.FiberFailureCauseId]) : rejection

const cannotOpen = (rejection: unknown): CommandFailed | InvalidConfiguration => {
  const cause = rootOf(rejection)
  const text = cause instanceof Error ? cause.message : String(cause)
  return optionFault(cause) ?? new CommandFailed({ message: `the machine cannot be started: ${text}` })
}

/** A bench for as long as the scope lives. */
export const scopedBench = (options: BenchOptions): Effect.Effect<ProgramBench, CommandFailed | InvalidConfiguration, Scope.Scope> =>
  Effect.acquireRelease(Effect.tryPromise({ try: () => openProgramBench(options), catch: cannotOpen }), (bench) =>
    Effect.promise(() => bench.close())
  )

/** Service options, prices and outbound options of a configuration; the command's own outbound options override it. */
export const benchOptionsOf = ({ outbound, service, tariff }: Configuration, own: OutboundOptions): BenchOptions => ({
  service,
  tariff,
  http: layerHttpFetch({
    ...outbound,
    ...own,
    hostOverrides: { ...outbound.hostOverrides, ...own.hostOverrides }
  })
})

/** Why a request was not run. The service's errors about parameters become errors about command-line options. */
export const runRefused = (rejection: unknown): CommandFailed | UsageError => {
  const cause = rootOf(rejection)
  const message = cause instanceof Error ? cause.message : String(cause)
  const isUsage =
    (cause instanceof ProgramRunRefused && cause.status === 400) ||
    (cause instanceof Error && "_tag" in cause && cause._tag === "InvalidSetting")
  return isUsage ? new UsageError({ message }) : new CommandFailed({ message })
}
