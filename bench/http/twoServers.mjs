/**
 * B15: the executions a second of two servers on one PostgreSQL against those of one, with the same number of connections, all of one project.
 * Each connection has inputs of its own; beside it, all ask the same, so that the servers also share the timestamps of one drId.
 */
import { startPostgres, whyNoPostgres } from "@sibyl/testing"
import { Effect } from "effect"
import { inTurns, load, startServer } from "./servers.mjs"

const connections = 32
const seconds = 3
/** Of each server by itself. The second one has half of the load, and would stay half as warm. */
const warmUpSeconds = 8

/** The loads of servers, of which each has its share of the connections. */
const loadsOf = (servers, pathsOf) =>
  Promise.all(
    servers.map(({ authorization, port }, at) =>
      load({ port, path: pathsOf(at), authorization, connections: connections / servers.length, seconds })
    )
  )

const sumOf = (loads) => loads.reduce((sum, { rate }) => sum + rate, 0)

const measured = Effect.gen(function* () {
  const { url } = yield* startPostgres({ fsync: true })
  const database = url("postgres")
  return yield* Effect.promise(async () => {
    const first = await startServer("run", { database })
    const { authorization, run } = first
    const second = await startServer("run", { database, authorization, run })
    for (const { port } of [first, second]) await load({ port, path: run, authorization, connections, seconds: warmUpSeconds })
    const own = (at) => Array.from({ length: connections }, (_, connection) => `${run}${at}-${connection}`)
    const rates = await inTurns(5, [
      async () => sumOf(await loadsOf([first], own)),
      async () => sumOf(await loadsOf([first, second], own)),
      async () => sumOf(await loadsOf([first, second], () => run))
    ])
    first.stop()
    second.stop()
    return rates
  })
})

/** The ratio and both rates; nothing without a PostgreSQL. */
export const twoServers = async (tell) => {
  if (whyNoPostgres !== undefined) {
    tell("skipped: no PostgreSQL is installed")
    return []
  }
  const [one, two, same] = await Effect.runPromise(Effect.scoped(measured))
  return [
    { id: "B15", what: "trivial executions, two servers on one PostgreSQL / one", value: two / one, unit: "", reach: 1, aim: 1.5 },
    { id: "B15 same", what: "the same where all ask for the same", value: same / one, unit: "" },
    { id: "B15 one", what: "trivial executions a second, one server on PostgreSQL", value: one, unit: "/s" },
    { id: "B15 two", what: "trivial executions a second, two servers on PostgreSQL", value: two, unit: "/s" }
  ]
}
