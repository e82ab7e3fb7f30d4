/** One PostgreSQL for all tests of a process: starting one takes longer than most of them. */
import { Effect, Scope } from "effect"
import { startPostgres, type TestPostgres } from "./startPostgres.ts"

/**
 * The server of this process: started when it is first asked for, stopped and removed when the process ends, however it ends. Whoever
 * uses it makes databases of its own. Where no PostgreSQL is installed it dies: ask `whyNoPostgres` before.
 */
export const sharedPostgres: Effect.Effect<TestPostgres> = Effect.runSync(
  Effect.cached(Effect.flatMap(Scope.make(), (scope) => Scope.extend(startPostgres(), scope)))
)
