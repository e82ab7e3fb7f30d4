/** Whether this version of Node still gets repairs. */
import { Clock, Effect } from "effect"
import { type Finding, finding } from "./finding.ts"

const check = "runtime"

/** When lines of Node get their last repairs, by the release schedule of the project; odd ones live for months. */
const lastRepairs: ReadonlyMap<number, string> = new Map([
  [20, "2026-04-30"],
  [22, "2027-04-30"],
  [24, "2028-04-30"],
  [26, "2029-04-30"]
])

/** The finding about a runtime of these versions at a time, in milliseconds since the Unix epoch. */
export const runtimeFinding = ({ bun, deno, node }: Readonly<Partial<Record<"bun" | "deno" | "node", string>>>, nowMs: number): Finding => {
  if (bun !== undefined) return finding(check, "ok", `Bun ${bun}`)
  if (deno !== undefined) return finding(check, "ok", `Deno ${deno}`)
  const until = lastRepairs.get(Number.parseInt(node ?? "", 10))
  const name = `Node ${node}`
  if (until === undefined) return finding(check, "ok", `${name}; how long it gets repairs is not known here`)
  if (nowMs < Date.parse(until)) return finding(check, "ok", `${name}, which gets repairs until ${until}`)
  return finding(check, "warning", `${name} has had no repairs since ${until}; on a newer one, runs also take less processor time`)
}

/** The runtime of this process, which is the one a server would have. */
export const examineRuntime: Effect.Effect<Finding> = Effect.map(Clock.currentTimeMillis, (nowMs) =>
  runtimeFinding(process.versions, nowMs)
)
