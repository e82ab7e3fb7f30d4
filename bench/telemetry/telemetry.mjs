/** What telemetry costs a trivial execution: servers with and without it, in turns, by their processor time. */
import { readFileSync } from "node:fs"
import { inTurns, load, startServer } from "../http/servers.mjs"

const rounds = 12
const seconds = 2

/** What each server is opened with. */
const kinds = {
  off: {},
  metrics: { metrics: true }
}

/** Clock ticks of the kernel. */
const ticksPerSecond = 100

/** Processor time of all threads of a process, in µs. */
const processorUs = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ")
  return ((Number(fields[11]) + Number(fields[12])) * 1_000_000) / ticksPerSecond
}

/** Measures; `tell` is called with the name of each measurement. */
export const measure = async (tell) => {
  const names = Object.keys(kinds)
  tell(`${rounds} rounds of ${seconds} s for each of ${names.length} servers (about ${rounds * seconds * names.length} s)`)
  const servers = []
  for (const name of names) servers.push(await startServer("run", { options: kinds[name] }))
  const rates = servers.map(() => [])
  const cases = servers.map(({ authorization, path, pid, port }, at) => async () => {
    const before = processorUs(pid)
    const { answered, rate } = await load({ port, path, authorization, seconds })
    rates[at].push(rate)
    return (processorUs(pid) - before) / answered
  })
  const costs = await inTurns(rounds, cases)
  for (const { stop } of servers) stop()
  const middle = (list) => list.slice(1).toSorted((left, right) => left - right)[Math.floor((list.length - 1) / 2)]
  return names.flatMap((name, at) => [
    { id: `${name} cost`, what: `processor time of a trivial execution, telemetry: ${name}`, value: costs[at], unit: "µs" },
    { id: `${name} rate`, what: `trivial executions a second, telemetry: ${name}`, value: middle(rates[at]), unit: "/s" },
    ...(at === 0
      ? []
      : [
          {
            id: `${name} part`,
            what: `processor time with ${name} / without`,
            value: costs[at] / costs[0],
            unit: "",
            reach: 1.03,
            aim: 1.01,
            atMost: true
          }
        ])
  ])
}
