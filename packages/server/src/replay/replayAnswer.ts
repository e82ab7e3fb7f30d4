/** What `sibyl replay` prints: each value as recorded, whether it came out the same, and what it is now if not. */
import type { ComparedValue, Recording } from "@sibyl/core"
import type { Answer } from "../output/answer.ts"
import { printable } from "../output/printable.ts"
import { type Column, fields, table } from "../output/table.ts"
import { isFaithful, type ReplayReport } from "./replayFile.ts"

const longestShown = 68

/** In one line. What programs print may have anything in it. */
const shown = (text: string): string => {
  const line = printable(text.replaceAll("\n", "\\n"))
  return line.length > longestShown ? `${line.slice(0, longestShown)}… (${text.length})` : line
}

const columns: ReadonlyArray<Column<ComparedValue>> = [
  { head: "value", cell: ({ name }) => name },
  { head: "", cell: ({ isSame }, paint) => paint(isSame ? "green" : "red", isSame ? "same" : "changed") },
  {
    head: "recorded; now, if changed",
    cell: ({ isSame, recorded, replayed }) => (isSame ? shown(recorded) : `${shown(recorded)}; ${shown(replayed)}`)
  }
]

/** Whose word it is that the tapes are what the program was answered. */
const recordedBy = ({ attestation, run }: Recording): string => {
  if (attestation === undefined) return "nobody has signed the recording"
  const { signedAtMs, signer } = attestation
  const whose = signer === run.signer ? "the key of the result" : signer
  return `${whose}, signed ${new Date(signedAtMs).toISOString()}`
}

/** The answer in both forms. */
export const replayAnswer = (report: ReplayReport): Answer => {
  const { diverged, recording, values } = report
  const { attestation } = recording
  const { executedAtMs, id, server, signer } = recording.run
  return {
    document: {
      id,
      executedAt: new Date(executedAtMs).toISOString(),
      signer,
      recordedBy:
        attestation === undefined ? null : { signer: attestation.signer, signedAt: new Date(attestation.signedAtMs).toISOString() },
      isFaithful: isFaithful(report),
      ...(diverged === undefined ? {} : { diverged }),
      values
    },
    lines: (paint) => [
      ...fields(
        [
          ["run", printable(id)],
          ["executed", `${new Date(executedAtMs).toISOString()}, by Sibyl ${printable(server)}`],
          ["signed by", printable(signer)],
          ["recorded by", recordedBy(recording)]
        ],
        paint
      ),
      "",
      ...(diverged === undefined
        ? table(values, columns, "nothing to compare", paint)
        : [paint("red", `the ${diverged.phase} phase does not do what its tape says: ${printable(diverged.message)}`)]),
      ...(isFaithful(report) ? ["", paint("green", "everything came out as it was recorded")] : [])
    ]
  }
}
