// @ts-check
/** What a cluster of some size needs of everything else, worked out from figures that were measured one by one. */

/**
 * Measured on two cores; docs/BENCHMARKS.md and docs/SCALING.md say how. Processor times in milliseconds.
 */
export const measured = {
  /** A run over HTTP, signed, charged and stored: the main thread of a server (B8). */
  edgeRunMs: 0.54,
  /** A request over NATS and its answer: both messages, sent and received. */
  roundTripMs: { edge: 0.039, executor: 0.014, server: 0.041 },
  /** Holds and posts a second of one PostgreSQL (B12); a run is one of each. */
  ledgerPerS: 12_744,
  /** 4,500 subscribers of an edge had each tick within this time (p99), with NATS, two edges and all clients on two cores. */
  fanOut: { subscribers: 4_500, withinMs: 365 }
}

/** Heartbeats of an executor a second. */
const beatsPerS = 5
/** A round trip is two messages, each of which the server receives and sends. */
const serverMessageMs = measured.roundTripMs.server / 4
const edgeMessageMs = measured.roundTripMs.edge / 2

/**
 * @typedef {object} Work
 * @property {number} workMs processor time of a run on its executor
 * @property {number} messages of a run between edge and executor
 */

/**
 * What executors with `workers` processors each can run if nothing else limits them, and what everything else would need for it.
 * @param {{ executors: number, workers: number } & Work} cluster
 */
export const needs = ({ executors, messages, workMs, workers }) => {
  const runsPerS = (executors * workers * 1_000) / workMs
  const edgeMs = measured.edgeRunMs + (messages * measured.roundTripMs.edge) / 2
  const beatsMs = executors * beatsPerS * edgeMessageMs
  // Each edge hears every heartbeat, whatever its own part of the runs.
  const edges = beatsMs >= 1_000 ? Number.POSITIVE_INFINITY : Math.max(1, Math.ceil((runsPerS * edgeMs) / (1_000 - beatsMs)))
  const natsRunCores = (runsPerS * messages * 2 * serverMessageMs) / 1_000
  const natsBeatCores = (executors * beatsPerS * (1 + edges) * serverMessageMs) / 1_000
  return { runsPerS, edges, natsRunCores, natsBeatCores, databases: Math.ceil((runsPerS * 2) / measured.ledgerPerS) }
}

/**
 * What is full first in a cluster of some size: the runs a second that each part can carry, the least first.
 * @param {{ executors: number, workers: number, edges: number, databases: number, natsCores: number } & Work} cluster
 */
export const limits = ({ databases, edges, executors, messages, natsCores, workMs, workers }) => {
  const beatsMs = executors * beatsPerS * edgeMessageMs
  const edgeMs = measured.edgeRunMs + (messages * measured.roundTripMs.edge) / 2
  const beatCores = (executors * beatsPerS * (1 + edges) * serverMessageMs) / 1_000
  return [
    { part: "executors", runsPerS: (executors * workers * 1_000) / workMs },
    { part: "edges", runsPerS: (edges * Math.max(0, 1_000 - beatsMs)) / edgeMs },
    { part: "NATS", runsPerS: (Math.max(0, natsCores - beatCores) * 1_000) / (messages * 2 * serverMessageMs) },
    { part: "the ledger", runsPerS: (databases * measured.ledgerPerS) / 2 }
  ].sort((one, two) => one.runsPerS - two.runsPerS)
}

/**
 * Shared feeds: every edge has each feed once a tick, from the NATS server or from its leaf node, and gives it to its own subscribers.
 * @param {{ subscribers: number, feeds: number, ticksPerS: number, edges: number, leaves: number }} audience `leaves` 0: edges are connected to the one server
 */
export const fanOut = ({ edges, feeds, leaves, subscribers, ticksPerS }) => {
  const perEdge = Math.ceil(subscribers / edges)
  const edgesOfLeaf = leaves === 0 ? [] : Array.from({ length: leaves }, (_, leaf) => Math.floor((edges + leaf) / leaves))
  const cores = (/** @type {number} */ receivers) => (feeds * ticksPerS * (1 + receivers) * serverMessageMs) / 1_000
  return {
    subscribersPerEdge: perEdge,
    edgeCores: (perEdge * ticksPerS * measured.fanOut.withinMs) / measured.fanOut.subscribers / 1_000,
    hubCores: cores(leaves === 0 ? edges : leaves),
    leafCores: leaves === 0 ? 0 : cores(Math.max(...edgesOfLeaf)),
    deliveredToEdges: feeds * (leaves === 0 ? edges : edgesOfLeaf.reduce((sum, count) => sum + count, 0))
  }
}
