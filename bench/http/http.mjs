/** The benchmark of HTTP: B7, B8, B9, B13 and B15, what a run costs in core alone, and single operations of Effect. Each server and its load run in their own processes. */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { inTurns, load, startServer } from "./servers.mjs"
import { besideRuns } from "./besideRuns.mjs"
import { effectCosts } from "./effectCosts.mjs"
import { prices } from "./prices.mjs"
import { twoServers } from "./twoServers.mjs"

const rounds = 5
const seconds = 2

/**
 * What is measured against what: the two take turns. With all eight in one circle, each would stand still for 14 s between its turns, and
 * engines give memory and compiled code back meanwhile, the more of it the more there is.
 */
const pairs = [
  ["bare", "node"],
  ["bare-trivial", "run"],
  ["bare-express", "express"],
  ["bare-bun", "bun"]
]

/** Requests per second of each server of a pair. */
const ratesOf = async (kinds) => {
  const servers = []
  for (const kind of kinds) servers.push(await startServer(kind))
  const cases = servers.map(
    ({ authorization, path, port }) =>
      async (round) =>
        (await load({ port, path, authorization, seconds: round === 0 ? 1 : seconds })).rate
  )
  const medians = await inTurns(rounds, cases)
  for (const { stop } of servers) stop()
  return kinds.map((kind, at) => [kind, medians[at]])
}

/** Requests per second of each kind of server. */
const rates = async (tell) => {
  const all = []
  for (const pair of pairs) {
    tell(`${rounds} rounds of ${seconds} s for ${pair.join(" and ")} (about 28 s)`)
    all.push(...(await ratesOf(pair)))
  }
  return Object.fromEntries(all)
}

const rateRows = (rate) => [
  { id: "B7", what: "remembered result over HTTP / bare node:http", value: rate.node / rate.bare, unit: "", reach: 0.5, aim: 0.9 },
  { id: "B7 rate", what: "remembered results a second over HTTP", value: rate.node, unit: "/s" },
  { id: "bare rate", what: "bare node:http, the same bytes", value: rate.bare, unit: "/s" },
  {
    id: "B8",
    what: "trivial execution, signed, charged, stored / bare node:http",
    value: rate.run / rate["bare-trivial"],
    unit: "",
    reach: 0.15,
    aim: 0.3
  },
  { id: "B8 rate", what: "trivial executions a second", value: rate.run, unit: "/s" },
  {
    id: "B9",
    what: "Express with the service, remembered result / Express alone",
    value: rate.express / rate["bare-express"],
    unit: "",
    reach: 0.8,
    aim: 0.9
  },
  {
    id: "B9 bun",
    what: "Bun with the service, remembered result / Bun.serve alone",
    value: rate.bun / rate["bare-bun"],
    unit: "",
    reach: 0.8,
    aim: 0.9
  },
  { id: "B9 rate", what: "Express, remembered results a second", value: rate.express, unit: "/s" },
  { id: "Express rate", what: "Express alone, the same bytes", value: rate["bare-express"], unit: "/s" },
  { id: "B9 bun rate", what: "Bun, remembered results a second", value: rate.bun, unit: "/s" },
  { id: "Bun rate", what: "Bun.serve alone, the same bytes", value: rate["bare-bun"], unit: "/s" }
]

/** Processor time of a trivial execution in core alone, in microseconds. */
const inCoreAlone = async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [fileURLToPath(new URL("coreAlone.mjs", import.meta.url))])
  return JSON.parse(stdout).processorUsPerRun
}

/** Measures everything; `tell` is called with the name of each measurement. */
export const measure = async (tell) => {
  const rows = rateRows(await rates(tell))
  tell("trivial executions in core alone (10 s)")
  const what = "a trivial execution in core alone: processor time of the main thread"
  rows.push({ id: "core", what, value: await inCoreAlone(), unit: "µs" })
  tell("what single operations of Effect cost (2 s)")
  rows.push(...(await effectCosts()))
  tell("remembered results while trivial executions run at full load (30 s)")
  rows.push(...(await besideRuns()))
  tell("B13: price runs beside their fetches alone (5 minutes)")
  rows.push(...(await prices()))
  tell("B15: trivial executions on one and on two servers of one PostgreSQL (80 s)")
  const shared = await twoServers(tell)
  return [...rows, ...shared]
}
