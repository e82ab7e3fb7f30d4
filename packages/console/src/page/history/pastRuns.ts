/** Past runs as a table and a chart show them: plain functions. */
import type { ReportEntry } from "@sibyl/client"
import type { ChartData } from "../charts/chartView.tsx"
import { numbersIn } from "../charts/numbersIn.ts"

/** A past run. */
export interface PastRun {
  readonly id: string
  readonly executedAtMs: number
  readonly source: string
  readonly exitCode: number
  readonly gasUsed: bigint
  readonly creditsUsed: bigint
  /** The result as text if it is text, else as hex. */
  readonly result: string
  readonly numbers: ReadonlyMap<string, number>
}

const textOf = (hex: string): string | undefined => {
  const bytes = Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes)
    // A number's bytes may happen to be UTF-8.
    // oxlint-disable-next-line no-control-regex
    return /[\0-\x08\x0e-\x1f]/.test(text) ? undefined : text
  } catch {
    return undefined
  }
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** A report's entry; its result is JSON, text, or a number of up to 32 bytes. */
export const pastRun = ({ creditsUsed, dataResult, executedAt, exitCode, gasUsed, id, source }: ReportEntry): PastRun => {
  const text = textOf(dataResult.result)
  const result = text ?? `0x${dataResult.result}`
  return {
    id,
    executedAtMs: Date.parse(executedAt),
    source,
    exitCode,
    gasUsed: BigInt(gasUsed),
    creditsUsed: BigInt(creditsUsed),
    result,
    numbers: exitCode === 0 ? numbersIn(text === undefined ? result : jsonOf(text)) : new Map()
  }
}

/** The places of numbers in any of the runs. */
export const placesIn = (runs: ReadonlyArray<PastRun>): ReadonlyArray<string> => [
  ...new Set(runs.flatMap(({ numbers }) => [...numbers.keys()]))
]

/** The number at a place over time, of runs that are newest first. */
export const historyData = (runs: ReadonlyArray<PastRun>, place: string): ChartData => {
  const oldestFirst = runs.toReversed()
  return [oldestFirst.map(({ executedAtMs }) => executedAtMs / 1_000), oldestFirst.map(({ numbers }) => numbers.get(place) ?? null)]
}
