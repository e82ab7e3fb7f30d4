/** `npm run bench -- placement`: how runs find executors, simulated for 10, 100 and 1,000 of them, and what else such a cluster needs. */
import { fanOut, limits, needs } from "./capacity.mjs"
import { waitAtMs } from "./queueing.mjs"
import { simulate } from "./simulate.mjs"

/** Times as measured: a no-op, a fetch of 20 ms with 0.3 ms of work, a heavy program. Slots are those of an executor with two workers. */
const kinds = [
  { name: "no-op", ms: 0.15, workMs: 0.15, slots: 2, messages: 3, sizes: [10, 100] },
  { name: "fetch", ms: 20.3, workMs: 0.3, slots: 16, messages: 4, sizes: [10, 100, 1_000] },
  { name: "heavy", ms: 50, workMs: 50, slots: 2, messages: 3, sizes: [10, 100, 1_000] }
]
const policies = ["random", "groupThenFree", "twoChoices", "twoByFree", "mostFree"]
/** A small cluster's other parts, for the question what is full first: eight edges, four processors for NATS. */
const others = { edges: 8, natsCores: 4 }
const loads = [0.5, 0.8, 0.95]
/** Some heartbeats, and several times the length of a run. */
const spanMs = ({ ms }) => Math.max(600, ms * 30)
const edgesFor = (executors) => Math.max(2, executors / 10)

const ms = (value) => (value < 10 ? value.toFixed(1) : value.toFixed(0))

const count = (value) => Math.round(value).toLocaleString("en-US")

const line = (cells) => `| ${cells.join(" | ")} |`

const placed = (kind, executors, load, policy, more = {}) => {
  const { ms: serviceMs, slots } = kind
  const runs = Math.ceil(((executors * slots * load) / serviceMs) * spanMs(kind))
  return simulate({
    seed: 14,
    executors,
    slots,
    edges: edgesFor(executors),
    service: { ms: serviceMs },
    load,
    runs: Math.max(5_000, runs),
    policy,
    ...more
  })
}

const waits = (print) => {
  print(line(["p99 of the wait in ms", "load", ...policies, "one queue (M/M/c)"]))
  print(line(["---", "---", ...policies.map(() => "---"), "---"]))
  for (const kind of kinds) {
    for (const executors of kind.sizes) {
      for (const load of loads) {
        const cells = policies.map((policy) => {
          const { offersPerRun, p99Ms, refused, submitted } = placed(kind, executors, load, policy)
          const turned = refused === 0 ? "" : `, ${((100 * refused) / submitted).toFixed(1)} % 503`
          return `${ms(p99Ms)} (${offersPerRun.toFixed(1)} offers${turned})`
        })
        const ideal = waitAtMs({ slots: executors * kind.slots, load, serviceMs: kind.ms }, 0.99)
        print(line([`${kind.name}, ${executors} executors`, `${load * 100} %`, ...cells, ms(ideal)]))
      }
    }
  }
}

const frozen = (print) => {
  print(line(["one of ten executors frozen, fetch, load 50 %", "p50", "p99", "longest", "offers to the frozen one"]))
  print(line(["---", "---", "---", "---", "---"]))
  const [, fetching] = kinds
  for (const policy of policies) {
    const { mostMs, p50Ms, p99Ms, silent, submitted } = placed(fetching, 10, 0.5, policy, { frozen: 1, runs: 12_000 })
    print(line([policy, ms(p50Ms), ms(p99Ms), ms(mostMs), `${((100 * silent) / submitted).toFixed(1)} %`]))
  }
}

const capacities = (print) => {
  const titles = ["executors of two workers", "they could run", "edges for it", "NATS, cores for runs", "for heartbeats", "databases"]
  print(line([...titles, "first full: 8 edges, 1 database", "8 edges, 4 databases"]))
  print(line([...titles.map(() => "---"), "---", "---"]))
  for (const { messages, name, workMs } of kinds) {
    for (const executors of [10, 100, 1_000]) {
      const cluster = { executors, workers: 2, workMs, messages }
      const { databases, edges, natsBeatCores, natsRunCores, runsPerS } = needs(cluster)
      const first = [1, 4].map((databases) => {
        const [{ part, runsPerS }] = limits({ ...cluster, ...others, databases })
        return `${part}, ${count(runsPerS)}/s`
      })
      print(
        line([
          `${name}, ${count(executors)}`,
          `${count(runsPerS)}/s`,
          count(edges),
          ms(natsRunCores),
          ms(natsBeatCores),
          databases,
          ...first
        ])
      )
    }
  }
}

const audience = (print) => {
  print(
    line([
      "a million subscribers, one tick a second",
      "edges",
      "subscribers of an edge",
      "cores of an edge",
      "of the server",
      "of a leaf node"
    ])
  )
  print(line(["---", "---", "---", "---", "---", "---"]))
  for (const feeds of [100, 1_000, 10_000]) {
    for (const leaves of [0, 10]) {
      const edges = 100
      const { edgeCores, hubCores, leafCores, subscribersPerEdge } = fanOut({ subscribers: 1_000_000, feeds, ticksPerS: 1, edges, leaves })
      const title = `${count(feeds)} feeds, ${leaves === 0 ? "one server" : `${leaves} leaf nodes`}`
      print(line([title, edges, count(subscribersPerEdge), edgeCores.toFixed(2), hubCores.toFixed(2), leafCores.toFixed(2)]))
    }
  }
}

/** Prints the tables of docs/SCALING.md; the rows are the figures by which one sees that the simulation still says the same. */
export const measure = async (print) => {
  for (const table of [waits, frozen, capacities, audience]) {
    table(print)
    print("")
  }
  const [, fetching] = kinds
  const row = (policy) => ({
    id: `wait ${policy}`,
    what: `p99 of the wait for a slot: 100 executors, fetch, load 80 %, ${policy}`,
    value: placed(fetching, 100, 0.8, policy).p99Ms,
    unit: "ms"
  })
  return policies.map(row)
}
