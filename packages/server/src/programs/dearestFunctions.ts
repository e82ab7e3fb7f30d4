/** The functions of a run that used the most gas, for `--profile`. */
import type { GasRow, PhaseProfile, ProgramOutcome } from "@sibyl/devkit"
import { amountText } from "../input/amount.ts"
import type { Paint } from "../output/paint.ts"
import { type Column, table } from "../output/table.ts"
import { gasShare } from "./gasShare.ts"
import { phaseName } from "./phaseName.ts"

const shown = 3

const dearestOf = ({ rows }: PhaseProfile): ReadonlyArray<GasRow> => rows.filter(({ kind }) => kind === "function").slice(0, shown)

const columns = (gasUsed: bigint): ReadonlyArray<Column<GasRow>> => [
  { head: "  gas", cell: ({ self }) => `  ${amountText(self)}`, align: "right" },
  { head: "share", cell: ({ self }) => gasShare(self, gasUsed), align: "right" },
  { head: "calls", cell: ({ calls }) => amountText(BigInt(calls)), align: "right" },
  { head: "function", cell: ({ name }) => name }
]

/** For people: under a heading for each phase, which starts with `before`. Nothing where nothing was profiled. */
export const dearestLines = ({ profiles }: ProgramOutcome, before: string, paint: Paint): ReadonlyArray<string> =>
  profiles.flatMap((profile) => {
    const heading = `${before} ${phaseName(profile, profiles)}, dearest functions`.trim()
    const { gasUsed, missing } = profile
    return [
      "",
      paint("dim", heading),
      ...(missing === undefined ? table(dearestOf(profile), columns(gasUsed), "  none ran", paint) : [`  ${missing}`])
    ]
  })

/** For scripts: a field `dearest`, or nothing where nothing was profiled. */
export const dearestDocument = ({ profiles }: ProgramOutcome) =>
  profiles.length === 0
    ? {}
    : {
        dearest: profiles.map((profile) => ({
          phase: profile.phase,
          missing: profile.missing ?? null,
          functions: dearestOf(profile).map(({ calls, name, self, total }) => ({ name, self, total, calls }))
        }))
      }
