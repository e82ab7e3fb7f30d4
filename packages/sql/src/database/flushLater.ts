/** Statements whose flush to disk may be left to a later commit. */
import { Effect, FiberRef, GlobalValue } from "effect"

/** Whether the statements of this fiber may be lost in a power failure, if nothing durable is committed after them. */
export const flushesLater: FiberRef.FiberRef<boolean> = GlobalValue.globalValue(Symbol.for("@sibyl/sql/flushesLater"), () =>
  FiberRef.unsafeMake(false)
)

/** Lets a statement's flush be that of the next commit, where the database can do that. PostgreSQL flushes as always. */
export const flushLater: <A, E, R>(statement: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = Effect.locally(flushesLater, true)
