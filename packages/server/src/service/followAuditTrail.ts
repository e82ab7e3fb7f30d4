/** Logs what operators change, whichever process they did it in. */
import { type AuditEntry, AuditTrail } from "@sibyl/core"
import { Effect, Ref, Schedule } from "effect"
import { logPart } from "@sibyl/core/internal"
import { momentText } from "../input/moment.ts"

/** How soon a change is in the log, in ms. */
const periodMs = 5_000

/** Entries that are read at once. */
const pageSize = 100

/** With when it was done: the line itself is written up to a period later. */
const logEntry = ({ action, atMs, by, details, entry, subject }: AuditEntry) =>
  Effect.annotateLogs(Effect.logInfo("audit"), { ...logPart("audit"), ...details, entry, at: momentText(atMs), action, subject, by })

const logAfter = (trail: AuditTrail["Type"], seen: Ref.Ref<number>): Effect.Effect<void> =>
  Effect.gen(function* () {
    const entries = yield* trail.after(yield* Ref.get(seen), pageSize)
    for (const entry of entries) {
      yield* logEntry(entry)
      yield* Ref.set(seen, entry.entry)
    }
    if (entries.length === pageSize) yield* logAfter(trail, seen)
  })

/** A line of the log for each change from now on. Never ends. While the database is away, what was changed is logged later. */
export const followAuditTrail: Effect.Effect<never, never, AuditTrail> = Effect.gen(function* () {
  const trail = yield* AuditTrail
  const [last] = yield* trail.latest({ amount: 1 })
  const seen = yield* Ref.make(last?.entry ?? 0)
  const look = Effect.catchAllDefect(logAfter(trail, seen), (cause) => Effect.logDebug("the audit trail could not be read", cause))
  yield* Effect.repeat(look, Schedule.spaced(periodMs))
  return yield* Effect.never
})
