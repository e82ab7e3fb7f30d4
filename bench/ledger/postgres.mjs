/** One case, in its own process: the ledger on PostgreSQL, with commits on disk, against commits of one statement there. */
import { SqlClient } from "@effect/sql/SqlClient"
import { Entropy, Network } from "@sibyl/core"
import { layerPostgres, layerSqlStores } from "@sibyl/sql"
import { startPostgres, whyNoPostgres } from "@sibyl/testing"
import { Effect, Layer, Redacted } from "effect"
import { chargesPerSecond, inTurns, makeProjects } from "./charges.mjs"

const { callers, forMs, rounds } = JSON.parse(process.argv[2])

/** One row at a time, each with its own commit, one after the other. */
const singleCommits = Effect.gen(function* () {
  const sql = yield* SqlClient
  const cpu = process.cpuUsage()
  const start = performance.now()
  let commits = 0
  for (; performance.now() - start < forMs; commits += 1) {
    yield* sql`INSERT INTO singles (credits, at_ms) VALUES ('100', ${commits})`
  }
  const { system, user } = process.cpuUsage(cpu)
  return { perSecond: (commits * 1_000) / (performance.now() - start), cpuUs: (system + user) / commits }
})

const measure = Effect.gen(function* () {
  const { url } = yield* startPostgres({ fsync: true })
  const stores = layerSqlStores.pipe(
    Layer.provideMerge(layerPostgres({ url: Redacted.make(url("postgres")) })),
    Layer.provide(Layer.merge(Entropy.layer, Network.layer({ name: "bench", chainId: "sibyl-1-bench" })))
  )
  return yield* Effect.gen(function* () {
    const sql = yield* SqlClient
    yield* sql`CREATE TABLE singles (entry BIGSERIAL PRIMARY KEY, credits TEXT NOT NULL, at_ms BIGINT NOT NULL)`
    const projects = yield* makeProjects(8)
    const charges = (of) => chargesPerSecond({ callers, forMs, projects: of })
    yield* charges(projects)
    return yield* inTurns(rounds, {
      singles: singleCommits,
      many: charges(projects),
      one: charges(projects.slice(0, 1))
    })
  }).pipe(Effect.provide(stores))
})

const measured = whyNoPostgres === undefined ? await Effect.runPromise(Effect.scoped(measure)) : null
process.stdout.write(JSON.stringify(measured))
