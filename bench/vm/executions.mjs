/** B4 and B5: one warm execution beside the same un-metered, and 500 executions in flight beside their fetches alone. */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

const upstream = fileURLToPath(new URL("slowUpstream.mjs", import.meta.url))

/** The bounds that Node.js gives its heap in a container of 512 MB. Where there is no bound, V8 lets the heap grow to four times what is alive. */
const smallHeap = ["--max-old-space-size=256", "--max-semi-space-size=1"]

/** The rows of B5 for one process; `id` and `where` name it. */
const fetchingRows = ({ id, where }, { executionUs, executionsPerS, fetchUs, fetchesPerS, worstBytes }) => [
  {
    id: id("B5"),
    what: `${where}: 500 executions in flight with one 20 ms fetch / the fetches alone`,
    value: executionsPerS / fetchesPerS,
    unit: "times",
    reach: 0.45,
    aim: 0.7
  },
  { id: id("B5 rate"), what: `${where}: those executions`, value: executionsPerS, unit: "/s" },
  { id: id("B5 fetches"), what: `${where}: the fetches alone`, value: fetchesPerS, unit: "/s" },
  // `null` where the system does not tell.
  ...(executionUs === null
    ? []
    : [
        { id: id("B5 main"), what: `${where}: processor time of the main thread for one execution`, value: executionUs, unit: "µs" },
        { id: id("B5 fetch main"), what: `${where}: the same for one fetch alone`, value: fetchUs, unit: "µs" }
      ]),
  {
    id: id("B5 memory"),
    what: `${where}: the most memory of that process`,
    value: worstBytes / 1_000_000,
    unit: "MB",
    reach: 200,
    atMost: true
  }
]

/** The rows of one engine; `run(script, args, flags)` gives what a script says in a process of its own. */
export const executionRows = async (engine, program, run) => {
  const suffix = engine === "Bun" ? " on Bun" : ""
  const { bareUs, meteredUs } = await run("warmExecution.mjs", [program])
  const child = spawn(process.execPath, [upstream], { stdio: ["ignore", "pipe", "inherit"] })
  try {
    const [port] = await new Promise((resolve, reject) => {
      child.stdout.once("data", (bytes) => resolve(String(bytes).split("\n")))
      child.once("exit", () => reject(new Error("the upstream did not start")))
    })
    const runs = [{ id: (name) => `${name}${suffix}`, where: engine }]
    if (engine === "Node.js") runs.push({ id: (name) => `${name} small`, where: "Node.js in 512 MB", flags: smallHeap })
    const rows = []
    for (const one of runs) rows.push(...fetchingRows(one, await run("fetchingRuns.mjs", [program, port], one.flags)))
    return [
      {
        id: `B4${suffix}`,
        what: `${engine}: a warm execution of the price program / the same un-metered`,
        value: meteredUs / bareUs,
        unit: "times",
        reach: 1.35,
        aim: 1.15,
        atMost: true
      },
      { id: `B4 time${suffix}`, what: `${engine}: that execution`, value: meteredUs, unit: "µs" },
      ...rows
    ]
  } finally {
    child.kill()
  }
}
