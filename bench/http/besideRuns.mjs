/** How long a remembered result takes while executions run at full load, against its time at rest. */
import { inTurns, load, startServer } from "./servers.mjs"

const seconds = 4

/** One connection that asks every 5 ms, so that it is no load of its own. */
const asked = ({ authorization, port, remembered: path }) => load({ port, path, authorization, connections: 1, pauseMs: 5, seconds })

const askedBesideRuns = async (server) => {
  const { authorization, port, run: path } = server
  const [measured] = await Promise.all([asked(server), load({ port, path, authorization, seconds: seconds + 0.5 })])
  return measured
}

/** The 99th percentiles and their ratio. */
export const besideRuns = async () => {
  const server = await startServer("run")
  const p99Of = (measure) => async () => (await measure(server)).p99Ms
  const [restMs, besideMs] = await inTurns(4, [p99Of(asked), p99Of(askedBesideRuns)])
  server.stop()
  return [
    {
      id: "B8 beside",
      what: "remembered result beside executions at full load, p99 / p99 at rest",
      value: besideMs / restMs,
      unit: "times",
      reach: 5,
      atMost: true
    },
    { id: "B8 beside p99", what: "remembered result beside executions at full load, p99", value: besideMs, unit: "ms" },
    { id: "B8 rest p99", what: "remembered result at rest, p99", value: restMs, unit: "ms" }
  ]
}
