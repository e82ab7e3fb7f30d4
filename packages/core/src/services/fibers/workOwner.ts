/** The project that a fiber works for, so that a scheduler can let projects take turns. */
import { Effect, FiberRef, GlobalValue } from "effect"

/** The id of the project; empty for the service's own work. */
export const WorkOwner: FiberRef.FiberRef<string> = GlobalValue.globalValue("@sibyl/core/WorkOwner", () => FiberRef.unsafeMake(""))

/**
 * Runs the effect for a project. Fibers that it forks belong to the same project. A fiber that works for the project already
 * keeps its references as they are: changing and restoring one copies all of them twice.
 */
export const workOf = <A, E, R>(projectId: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiberRuntime((fiber) => (fiber.getFiberRef(WorkOwner) === projectId ? work : Effect.locally(work, WorkOwner, projectId)))

/** Runs the effect as the rest of a fiber that works for this project alone: unlike {@link workOf} it restores nothing. */
export const workOnlyOf = <A, E, R>(projectId: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.zipRight(FiberRef.set(WorkOwner, projectId), work)
