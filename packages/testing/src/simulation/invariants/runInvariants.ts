/** What always holds of runs: each report is of one run of the machine, at its price; what came to an outcome is charged. */
import type { ExecutionReport } from "@sibyl/core"
import { dataResultIdOf, toHex, toUtf8Lossy } from "@sibyl/core/internal"
import type { ProjectBooks } from "../world/database.ts"
import { type MachineRun, resultPrefix } from "../world/programs.ts"
import { quickSignature } from "../world/quickSigner.ts"
import { gasLimits, simulatedLimits, type Tenant } from "../world/tenants.ts"
import type { World } from "../world/world.ts"

const trillion = 1_000_000_000_000n

/** How long a run that has ended may wait for its store before it is given up, in ms. */
const chargedWithinMs = 45_000

/** The price by the tariff: 1, and 1 for each started 10^12 gas, and the fees. A run out of time costs its worker's time. */
const priceOf = ({ plan }: MachineRun, { execute, tally }: ExecutionReport): bigint => {
  const timeGas = BigInt(simulatedLimits.execWallClockMs) * 10_000_000_000n
  const execGas = plan.ending === "endless" ? (timeGas < gasLimits.exec ? timeGas : gasLimits.exec) : execute.gasUsed
  const gas = execGas + (tally?.gasUsed ?? 0n)
  return 1n + (gas + trillion - 1n) / trillion + (plan.ending === "endless" ? 0n : plan.proxyFee)
}

const expectedExit = ({ plan }: MachineRun): number => {
  if (plan.ending === "tallyFailure") {
    return plan.upstream === "status 500" || plan.upstream === "truncated" || plan.upstream === "no answer" ? 1 : 7
  }
  const isBad = plan.ending === "failure" || plan.ending === "endless"
  return isBad || plan.upstream === "status 500" || plan.upstream === "truncated" || plan.upstream === "no answer" ? 1 : 0
}

const runOf = (world: World, report: ExecutionReport): MachineRun | undefined =>
  world.programs.runs[Number(toUtf8Lossy(report.execute.result).split(" ")[1])]

const checkReport = (world: World, tenant: Tenant, report: ExecutionReport): MachineRun | undefined => {
  const { mustHold } = world.findings
  const run = runOf(world, report)
  const text = toUtf8Lossy(report.execute.result)
  mustHold(
    run !== undefined && run.projectId === tenant.projectId && text.startsWith(resultPrefix(tenant.projectId)),
    "a report is of a run of its project",
    () => `${tenant.name}: report ${report.id} has the result "${text}"`
  )
  if (run === undefined) return undefined
  const inputs = toUtf8Lossy(report.dataRequest.execInputs)
  mustHold(inputs === run.inputs, "a report is of its own run", () => `report ${report.id} of ${inputs} has the result of ${run.inputs}`)
  mustHold(run.isComplete, "only a run that came to an outcome is charged", () => `${run.inputs}, run ${run.number}, was charged`)
  const price = priceOf(run, report)
  mustHold(report.cost.total === price, "the price of a run", () => `${run.inputs}: charged ${report.cost.total}, its price is ${price}`)
  mustHold(
    report.dataResult.exitCode === expectedExit(run),
    "the exit code of a run",
    () => `${run.inputs}: exit code ${report.dataResult.exitCode}, planned ${expectedExit(run)}`
  )
  const signature = toHex(quickSignature(dataResultIdOf(report.dataResult)))
  mustHold(report.signature === signature, "the signature is of the result", () => `report ${report.id} of ${run.inputs}`)
  return run
}

/** Checks the reports of a project that were not seen before. */
export const checkReports = (world: World, tenant: Tenant, { reports }: ProjectBooks, seen: Map<number, string>, from: number): void => {
  for (const report of reports.slice(from)) {
    const run = checkReport(world, tenant, report)
    if (run === undefined) continue
    const before = seen.get(run.number)
    seen.set(run.number, report.id)
    world.findings.mustHold(before === undefined, "one run, one charge", () => `${run.inputs}: reports ${before} and ${report.id}`)
  }
}

/** What the machine must not have been given. */
export const checkMachine = (world: World): void => {
  const { findings, programs, tenants } = world
  const [trespass] = programs.trespasses
  findings.mustHold(trespass === undefined, "runs are left alone", () => trespass ?? "")
  for (const [place, most] of programs.mostInFlight) {
    findings.mustHold(most <= simulatedLimits.runsPerProject, "runs of a project in flight", () => `${place}: ${most} at once`)
  }
  const allowed = new Map(tenants.map((tenant) => [tenant.projectId, tenant.allowed]))
  for (const { inputs, programId, projectId } of programs.runs) {
    const isAllowed = allowed.get(projectId)?.includes(programId) === true
    findings.mustHold(isAllowed, "only allowed programs run", () => `${inputs} ran ${programId}`)
  }
}

const isBetween = (times: ReadonlyArray<number>, fromMs: number, untilMs: number): boolean =>
  times.some((atMs) => atMs >= fromMs && atMs <= untilMs)

/** Why a run that came to an outcome need not have been charged; undefined if it must. */
const excuseOf = (world: World, { endMs = 0, inputs, life, startMs }: MachineRun): string | undefined => {
  const killedMs = world.servers.map(({ killedAtMs }) => killedAtMs.get(life)).find((atMs) => atMs !== undefined)
  if (killedMs !== undefined && killedMs <= endMs + chargedWithinMs) return "its process was killed"
  // The lease of a feed, or a claim, may have lapsed, and somebody else have run the same.
  if (isBetween(world.stepsAtMs, startMs - 20_000, endMs + 20_000)) return "the wall clock was set"
  const isTick = inputs.includes("-feed-") || inputs.includes("-durable-")
  const hadTrouble = isTick && isBetween(world.faults.storeFaultsAtMs, startMs - 10_000, endMs + 1_000)
  return hadTrouble ? "the stores were in trouble" : undefined
}

/** In the end, each run that came to an outcome was charged, whatever became of its client. */
export const checkAllCharged = (world: World, seen: ReadonlyMap<number, string>): void => {
  for (const run of world.programs.runs) {
    if (!run.isComplete || seen.has(run.number)) continue
    world.findings.mustHold(
      excuseOf(world, run) !== undefined,
      "a run that came to an outcome is charged",
      () => `${run.inputs}, run ${run.number} on ${run.life}, ended at ${run.endMs} and has no report`
    )
  }
}

/** In the end, nobody was charged for more than was asked for: a request without a key, a key, or a call on a connection is one run. */
export const checkNothingTwice = (world: World, reports: ReadonlyMap<string, ExecutionReport>): void => {
  const asked = new Map<string, Set<string>>()
  const ask = (inputs: string | undefined, what: string): void => {
    if (inputs === undefined) return
    asked.set(inputs, (asked.get(inputs) ?? new Set()).add(what))
  }
  for (const { idempotencyKey, inputs, number } of world.requests) ask(inputs, idempotencyKey ?? `#${number}`)
  for (const { name, requests } of world.sockets) {
    for (const { id, inputs, method } of requests.values()) if (method === "feed.execute") ask(inputs, `${name} ${id}`)
  }
  const charged = new Map<string, number>()
  for (const { dataRequest, source } of reports.values()) {
    if (source === "feed") continue
    const inputs = toUtf8Lossy(dataRequest.execInputs)
    charged.set(inputs, (charged.get(inputs) ?? 0) + 1)
  }
  for (const [inputs, count] of charged) {
    const most = asked.get(inputs)?.size ?? 0
    world.findings.mustHold(count <= most, "one key, one charge", () => `${inputs}: ${count} charges, asked for ${most} times`)
  }
}

/** No run of a connection's own feed begins when its connection is long over. */
export const checkFeedRunsEnd = (world: World): void => {
  for (const { endedAtMs, feeds, name } of world.sockets) {
    if (endedAtMs === undefined) continue
    const own = new Set(feeds.filter(({ isShared }) => !isShared).map(({ inputs }) => inputs))
    for (const { inputs, startMs } of world.programs.runs) {
      if (!own.has(inputs) || startMs <= endedAtMs + 1_000) continue
      const wasSlow = world.faults.slowUntilMs >= endedAtMs - 1_000
      world.findings.mustHold(
        wasSlow,
        "a feed ends with its connection",
        () => `${inputs} began at ${startMs}, ${name} ended at ${endedAtMs}`
      )
    }
  }
}
