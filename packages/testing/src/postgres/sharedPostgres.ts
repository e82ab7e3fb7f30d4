/** One PostgreSQL for all tests of a process, because starting one takes longer than most of them. */
import { Effect, Scope } from "effect"
import { startPostgres, type TestPostgres } from "./startPostgres.ts"

/**
 * The server of this process: started on first use, stopped and removed when the process ends, however it ends. Users create their own
 * databases on it. Without an installed PostgreSQL it dies: check `whyNoPostgres` before.
 */
export const sharedPostgres: Effect.Effect<TestPostgres> = Effect.runSync(
  Effect.cached(Effect.flatMap(Scope.make(), (scope) => Scope.extend(startPostgres(), scope)))
)
