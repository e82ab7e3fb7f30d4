/** The benchmark of the ledger: B12, and the same on PostgreSQL if it is installed. Each case runs in its own process. */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const run = promisify(execFile)

const settings = { callers: 200, forMs: 1_000, rounds: 5 }

const caseOf = async (file) => {
  const path = fileURLToPath(new URL(file, import.meta.url))
  const { stdout, stderr } = await run(process.execPath, [path, JSON.stringify(settings)], { timeout: 180_000 })
  if (stderr !== "") process.stderr.write(stderr)
  return JSON.parse(stdout)
}

const rows = (id, database, { alone, many, one, singles }, targets = {}) => [
  {
    id,
    what: `${database}: holds and posts of ${settings.callers} callers over 8 projects / commits of one statement`,
    value: many.perSecond / singles.perSecond,
    unit: "times",
    ...targets
  },
  {
    id: `${id} one project`,
    what: `${database}: the same on one project`,
    value: one.perSecond / singles.perSecond,
    unit: "times"
  },
  { id: `${id} rate`, what: `${database}: holds and posts a second, 8 projects`, value: many.perSecond, unit: "/s" },
  { id: `${id} commits`, what: `${database}: commits of one statement a second`, value: singles.perSecond, unit: "/s" },
  { id: `${id} cpu`, what: `${database}: processor time of a hold or post`, value: many.cpuUs, unit: "µs" },
  ...(alone === undefined
    ? []
    : [
        {
          id: `${id} alone`,
          what: `${database}: holds and posts a second of one caller, who shares with nobody`,
          value: alone.perSecond,
          unit: "/s"
        }
      ])
]

/** Measures everything; `tell` is called with the name of each measurement. */
export const measure = async (tell) => {
  tell("B12: durable holds and posts against single commits, SQLite, synchronous=FULL (25 s)")
  const sqlite = rows("B12", "SQLite", await caseOf("sqlite.mjs"), { reach: 2, aim: 5 })
  tell("the same on PostgreSQL, fsync on (20 s)")
  const postgres = await caseOf("postgres.mjs")
  if (postgres === null) tell("skipped: no PostgreSQL is installed")
  return postgres === null ? sqlite : [...sqlite, ...rows("postgres", "PostgreSQL", postgres)]
}
