/** What operators changed, as `sibyl audit` lists it. */
import { type AuditEntry, AuditTrail } from "@sibyl/core"
import { Effect, Option } from "effect"
import { refusedValue } from "../input/asked.ts"
import { momentText } from "../input/moment.ts"
import type { Answer } from "../output/answer.ts"
import { type Column, table } from "../output/table.ts"

const columns: ReadonlyArray<Column<AuditEntry>> = [
  { head: "entry", cell: ({ entry }) => `${entry}`, align: "right" },
  { head: "at", cell: ({ atMs }, paint) => paint("dim", momentText(atMs)) },
  { head: "by", cell: ({ by }) => by },
  { head: "action", cell: ({ action }, paint) => paint("bold", action) },
  { head: "subject", cell: ({ subject }) => subject },
  {
    head: "details",
    cell: ({ details }) =>
      Object.entries(details)
        .map(([name, value]) => `${name}=${value}`)
        .join(" ")
  }
]

const documentOf = ({ atMs, ...entry }: AuditEntry) => ({ ...entry, at: momentText(atMs) })

const mostEntries = 1_000

/** Lists a page of the audit trail, newest first. */
export const listAuditEntries = (amount: number, before: Option.Option<number>) =>
  Effect.gen(function* () {
    if (amount < 1 || amount > mostEntries) return yield* refusedValue("--amount", `from 1 to ${mostEntries}`, `${amount}`)
    const beforeEntry = Option.getOrUndefined(before)
    if (beforeEntry !== undefined && beforeEntry < 1) return yield* refusedValue("--before", "1 or more", `${beforeEntry}`)
    const page = beforeEntry === undefined ? { amount } : { amount, beforeEntry }
    const entries = yield* Effect.flatMap(AuditTrail, (trail) => trail.latest(page))
    const last = entries.at(-1)?.entry
    const next = entries.length === amount && last !== undefined && last > 1 ? last : null
    const answer: Answer = {
      document: { entries: entries.map(documentOf), nextBefore: next },
      lines: (paint) => [
        ...table(entries, columns, "nothing was changed yet", paint),
        ...(next === null ? [] : [paint("dim", `older ones: --before ${next}`)])
      ]
    }
    return answer
  })
