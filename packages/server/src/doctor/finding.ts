/** A finding of the doctor. */
import { Cause, Effect } from "effect"

/** `ok`; worth a look; a server would not work; not checked. */
export type FindingStatus = "ok" | "warning" | "failed" | "skipped"

/** One finding. */
export interface Finding {
  readonly check: string
  readonly status: FindingStatus
  /** One line: what was found, or what to do. */
  readonly message: string
}

/** Makes a finding of one check. */
export const finding = (check: string, status: FindingStatus, message: string): Finding => ({ check, status, message })

/** The first line of an error's message. */
export const firstLine = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return (error instanceof Error ? error.message : String(error)).split("\n", 1)[0] ?? ""
}

/** Turns any failure of a check into a finding. */
export const orFailed = <R>(check: string, effect: Effect.Effect<Finding, never, R>): Effect.Effect<Finding, never, R> =>
  Effect.catchAllCause(effect, (cause) => Effect.succeed(finding(check, "failed", firstLine(cause))))
