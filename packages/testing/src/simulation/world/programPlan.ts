/** What a simulated program does in one run, drawn from the seed. */
import type { Faults } from "./faults.ts"
import type { SeededRandom } from "./seededRandom.ts"

/** How a run ends: by itself, by the machine, or by a fault of the runtime. */
export type PlannedEnding = "value" | "failure" | "endless" | "defect" | "noWorker" | "tallyFailure" | "tallyDefect"

/** How a request of a program to its upstream is answered. */
export type UpstreamAnswer = "well" | "slow" | "status 500" | "truncated" | "no answer"

/** One run. Times in virtual ms. */
export interface ProgramPlan {
  readonly ending: PlannedEnding
  /** How long it waits for a worker. */
  readonly queueMs: number
  readonly execMs: number
  readonly tallyMs: number
  readonly upstream: UpstreamAnswer | undefined
  readonly execGas: bigint
  readonly tallyGas: bigint
  /** Credits for calls of a data proxy. */
  readonly proxyFee: bigint
  /** Whether it reads and writes its storage. */
  readonly storesValue: boolean
}

const endings: ReadonlyArray<{ readonly weight: number; readonly ending: PlannedEnding }> = [
  { weight: 70, ending: "value" },
  { weight: 8, ending: "failure" },
  { weight: 3, ending: "endless" },
  { weight: 6, ending: "defect" },
  { weight: 4, ending: "noWorker" },
  { weight: 4, ending: "tallyFailure" },
  { weight: 4, ending: "tallyDefect" }
]

const upstreams: ReadonlyArray<{ readonly weight: number; readonly answer: UpstreamAnswer | undefined }> = [
  { weight: 60, answer: undefined },
  { weight: 20, answer: "well" },
  { weight: 6, answer: "slow" },
  { weight: 5, answer: "status 500" },
  { weight: 4, answer: "truncated" },
  { weight: 4, answer: "no answer" }
]

const trillion = 1_000_000_000_000n

/** Draws one run. */
export const drawPlan = (random: SeededRandom): ProgramPlan => ({
  ending: random.weighted(endings).ending,
  queueMs: random.percent(80) ? 0 : random.between(1, 300),
  execMs: random.percent(30) ? 0 : random.between(1, random.percent(85) ? 120 : 1_500),
  tallyMs: random.percent(60) ? 0 : random.between(1, 40),
  upstream: random.weighted(upstreams).answer,
  execGas: BigInt(random.between(1, 19)) * trillion + BigInt(random.below(2)),
  tallyGas: BigInt(random.below(5)) * trillion,
  proxyFee: random.percent(80) ? 0n : BigInt(random.between(1, 10)),
  storesValue: random.percent(25)
})

/** Counts what is a fault in a plan whose run begins. */
export const countPlan = (faults: Faults, { ending, upstream }: ProgramPlan): void => {
  if (ending === "failure" || ending === "tallyFailure") faults.count("program trapped")
  if (ending === "endless") faults.count("program never ended")
  if (ending === "defect" || ending === "tallyDefect") faults.count("runtime had a defect")
  if (ending === "noWorker") faults.count("runtime had no worker")
  if (upstream === "slow") faults.count("upstream was slow")
  else if (upstream !== undefined && upstream !== "well") faults.count("upstream failed")
}
