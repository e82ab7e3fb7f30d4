/** B15: the executions a second of two servers on one PostgreSQL against those of one, with the same number of connections. */
import { startPostgres, whyNoPostgres } from "@sibyl/testing"
import { Effect } from "effect"
import { inTurns, load, startServer } from "./servers.mjs"

const connections = 32
const seconds = 3

const loadOf = ({ authorization, path, port }, share) => load({ port, path, authorization, connections: connections / share, seconds })

const measured = Effect.gen(function* () {
  const { url } = yield* startPostgres({ fsync: true })
  const database = url("postgres")
  return yield* Effect.promise(async () => {
    const first = await startServer("run", { database })
    const { authorization, run } = first
    const second = await startServer("run", { database, authorization, run })
    const rates = await inTurns(4, [
      async () => (await loadOf(first, 1)).rate,
      async () => {
        const both = await Promise.all([loadOf(first, 2), loadOf(second, 2)])
        return both[0].rate + both[1].rate
      }
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
  const [one, two] = await Effect.runPromise(Effect.scoped(measured))
  return [
    { id: "B15", what: "trivial executions, two servers on one PostgreSQL / one", value: two / one, unit: "", reach: 1, aim: 1.5 },
    { id: "B15 one", what: "trivial executions a second, one server on PostgreSQL", value: one, unit: "/s" },
    { id: "B15 two", what: "trivial executions a second, two servers on PostgreSQL", value: two, unit: "/s" }
  ]
}
