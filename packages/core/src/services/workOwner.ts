/** Whose work a fiber does: a scheduler may let projects take turns by it. */
import { Effect, FiberRef, GlobalValue } from "effect"

/** The project of the work, or the empty text: the service's own. */
export const WorkOwner: FiberRef.FiberRef<string> = GlobalValue.globalValue("@sibyl/core/WorkOwner", () => FiberRef.unsafeMake(""))

/** Does the work in the name of a project. Fibers that it forks work in the same name. */
export const workOf = <A, E, R>(projectId: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.locally(work, WorkOwner, projectId)
