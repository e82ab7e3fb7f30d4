/** The project that a fiber works for, so that a scheduler can let projects take turns. */
import { Effect, FiberRef, GlobalValue } from "effect"

/** The id of the project; empty for the service's own work. */
export const WorkOwner: FiberRef.FiberRef<string> = GlobalValue.globalValue("@sibyl/core/WorkOwner", () => FiberRef.unsafeMake(""))

/** Runs the effect for a project. Fibers that it forks belong to the same project. */
export const workOf = <A, E, R>(projectId: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.locally(work, WorkOwner, projectId)
