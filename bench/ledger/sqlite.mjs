/** One case, in its own process: the ledger on a SQLite file against commits of one statement in the same file. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "@photostructure/sqlite"
import { Entropy, Network } from "@sibyl/core"
import { layerSqlite, layerSqlStores } from "@sibyl/sql"
import { Effect, Layer } from "effect"
import { chargesPerSecond, inTurns, makeProjects } from "./charges.mjs"

const { callers, forMs, rounds } = JSON.parse(process.argv[2])

/** One row at a time, each with its own commit, with the driver alone. */
const singleCommits = (database) => {
  const insert = database.prepare("INSERT INTO singles (credits, at_ms) VALUES (?, ?)")
  return Effect.sync(() => {
    const cpu = process.cpuUsage()
    const start = performance.now()
    let commits = 0
    for (; performance.now() - start < forMs; commits += 1) insert.run("100", commits)
    const { system, user } = process.cpuUsage(cpu)
    return { perSecond: (commits * 1_000) / (performance.now() - start), cpuUs: (system + user) / commits }
  })
}

const folder = mkdtempSync(join(tmpdir(), "sibyl-bench-"))
const filename = join(folder, "sibyl.db")
const stores = layerSqlStores.pipe(
  Layer.provide(layerSqlite({ filename })),
  Layer.provide(Layer.merge(Entropy.layer, Network.layer({ name: "bench", chainId: "sibyl-1-bench" })))
)
const measured = await Effect.runPromise(
  Effect.gen(function* () {
    const projects = yield* makeProjects(8)
    const database = new DatabaseSync(filename)
    database.exec("PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    database.exec("CREATE TABLE singles (entry INTEGER PRIMARY KEY, credits TEXT NOT NULL, at_ms INTEGER NOT NULL) STRICT")
    const singles = singleCommits(database)
    const charges = (count, of) => chargesPerSecond({ callers: count, forMs, projects: of })
    yield* charges(callers, projects)
    const result = yield* inTurns(rounds, {
      singles,
      many: charges(callers, projects),
      one: charges(callers, projects.slice(0, 1)),
      alone: charges(1, projects)
    })
    database.close()
    return result
  }).pipe(Effect.provide(stores))
)
rmSync(folder, { recursive: true })
process.stdout.write(JSON.stringify(measured))
