/** One process of `npm run simulate`: simulates a range of seeds and prints each one's report as a line of JSON. */
import { inMemory, type MakeDatabase, simulate, type SimulationReport } from "@sibyl/testing/simulation"
import { openSqliteFiles } from "./sqliteDatabase.ts"

/** What the process is asked for. */
interface Order {
  readonly seeds: ReadonlyArray<number>
  readonly steps: number
  readonly trace: boolean
  /** Whether to end at the first broken invariant. */
  readonly stop: boolean
  /** Every how many seeds one is on a SQLite file; 0 for none. */
  readonly sqliteEvery: number
}

const lineOf = ({ faults, trace, ...report }: SimulationReport, withTrace: boolean): string =>
  `${JSON.stringify({ ...report, faults: Object.fromEntries(faults), ...(withTrace ? { trace } : {}) })}\n`

const print = (line: string): Promise<void> => new Promise((resolve) => process.stdout.write(line, () => resolve()))

const run = async ({ seeds, sqliteEvery, steps, stop, trace }: Order): Promise<void> => {
  const files = sqliteEvery > 0 ? await openSqliteFiles() : undefined
  try {
    for (const seed of seeds) {
      const isFile = files !== undefined && seed % sqliteEvery === 0
      const database: MakeDatabase = isFile ? files.make : inMemory
      const report = await simulate({ seed, steps, database })
      await print(lineOf(report, trace))
      if (stop && report.failure !== undefined) break
    }
  } finally {
    files?.remove()
  }
}

await run(JSON.parse(process.argv[2] ?? "{}") as Order)
// What waits for ever in crashed processes must not keep this one.
process.exit(0)
