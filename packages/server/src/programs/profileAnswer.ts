/** What `sibyl profile` prints: the gas of every function by phase. */
import type { GasRow, PhaseProfile, ProgramOutcome } from "@sibyl/devkit"
import { amountText } from "../input/amount.ts"
import type { Answer } from "../output/answer.ts"
import type { Paint } from "../output/paint.ts"
import { type Column, table } from "../output/table.ts"
import { gasShare } from "./gasShare.ts"
import { logLines } from "./logLines.ts"
import { phaseName } from "./phaseName.ts"

/** People see so many rows, and one for all others; scripts get all. */
const shown = 25

/** A row of the table; several functions together have no whole gas of their own. */
type ShownRow = Omit<GasRow, "total"> & { readonly total: bigint | null }

const together = (rows: ReadonlyArray<GasRow>): ShownRow => ({
  name: `(${rows.length} others)`,
  kind: "function",
  self: rows.reduce((sum, { self }) => sum + self, 0n),
  total: null,
  calls: rows.reduce((sum, { calls }) => sum + calls, 0)
})

/** The rows that are shown: their own gas sums to that of the phase. */
const shownRows = ({ rows }: PhaseProfile): ReadonlyArray<ShownRow> =>
  rows.length <= shown + 1 ? rows : [...rows.slice(0, shown), together(rows.slice(shown))]

const columns = (gasUsed: bigint): ReadonlyArray<Column<ShownRow>> => [
  { head: "self", cell: ({ self }) => amountText(self), align: "right" },
  { head: "share", cell: ({ self }) => gasShare(self, gasUsed), align: "right" },
  { head: "total", cell: ({ total }) => (total === null ? "" : amountText(total)), align: "right" },
  { head: "calls", cell: ({ calls }) => amountText(BigInt(calls)), align: "right" },
  { head: "function", cell: ({ kind, name }, paint) => (kind === "function" ? name : paint("bold", name)) }
]

const phaseLines = (profile: PhaseProfile, all: ReadonlyArray<PhaseProfile>, paint: Paint): ReadonlyArray<string> => [
  paint("bold", `${phaseName(profile, all)}: ${amountText(profile.gasUsed)} gas`),
  ...(profile.missing === undefined
    ? table(shownRows(profile), columns(profile.gasUsed), "nothing ran", paint)
    : [`no profile: ${profile.missing}`]),
  ""
]

const documentOf = ({ exitCode, gasUsed, profiles, programId, tallyProgramId }: ProgramOutcome, file: string | null) => ({
  programId,
  tallyProgramId,
  exitCode,
  gasUsed,
  phases: profiles.map(({ gasUsed: ofPhase, missing, phase, rows }) => ({ phase, gasUsed: ofPhase, missing: missing ?? null, rows })),
  flameGraph: file
})

/** Why a run failed is in what it printed; a run that went well has its output from `sibyl run`. */
const faultLines = ({ exec, exitCode, tally }: ProgramOutcome, paint: Paint): ReadonlyArray<string> =>
  exitCode === 0 ? [] : [...logLines("execution, stderr", exec.stderr, paint), ...logLines("tally, stderr", tally?.stderr ?? "", paint)]

/** The answer in both forms; `file` is the flame graph's. */
export const profileAnswer = (outcome: ProgramOutcome, file: string | null): Answer => ({
  document: documentOf(outcome, file),
  lines: (paint) => [
    ...outcome.profiles.flatMap((profile) => phaseLines(profile, outcome.profiles, paint)),
    file === null ? "no flame graph" : `flame graph: ${file} (open it at https://www.speedscope.app)`,
    ...faultLines(outcome, paint)
  ]
})
