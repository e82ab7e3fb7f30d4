/** B4 and B5: one warm execution beside the same un-metered, and 500 executions in flight beside their fetches alone. */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

const upstream = fileURLToPath(new URL("slowUpstream.mjs", import.meta.url))

/** The rows of one engine; `run(script, args)` gives what a script says in a process of its own. */
export const executionRows = async (engine, program, run) => {
  const suffix = engine === "Bun" ? " on Bun" : ""
  const { bareUs, meteredUs } = await run("warmExecution.mjs", [program])
  const child = spawn(process.execPath, [upstream], { stdio: ["ignore", "pipe", "inherit"] })
  try {
    const [port] = await new Promise((resolve, reject) => {
      child.stdout.once("data", (bytes) => resolve(String(bytes).split("\n")))
      child.once("exit", () => reject(new Error("the upstream did not start")))
    })
    const { executionUs, executionsPerS, fetchUs, fetchesPerS, worstBytes } = await run("fetchingRuns.mjs", [program, port])
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
      {
        id: `B5${suffix}`,
        what: `${engine}: 500 executions in flight with one 20 ms fetch / the fetches alone`,
        value: executionsPerS / fetchesPerS,
        unit: "times",
        reach: 0.45,
        aim: 0.7
      },
      { id: `B5 rate${suffix}`, what: `${engine}: those executions`, value: executionsPerS, unit: "/s" },
      { id: `B5 fetches${suffix}`, what: `${engine}: the fetches alone`, value: fetchesPerS, unit: "/s" },
      // `null` where the system does not tell.
      ...(executionUs === null
        ? []
        : [
            {
              id: `B5 main${suffix}`,
              what: `${engine}: processor time of the main thread for one execution`,
              value: executionUs,
              unit: "µs"
            },
            { id: `B5 fetch main${suffix}`, what: `${engine}: the same for one fetch alone`, value: fetchUs, unit: "µs" }
          ]),
      {
        id: `B5 memory${suffix}`,
        what: `${engine}: the most memory of that process`,
        value: worstBytes / 1_000_000,
        unit: "MB",
        reach: 200,
        atMost: true
      }
    ]
  } finally {
    child.kill()
  }
}
