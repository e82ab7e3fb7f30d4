/** Whether a server may have as many connections as it lets wait. */
import { mostOpenFiles } from "@sibyl/telemetry"
import { Effect } from "effect"
import { mostWaiting } from "../serve/listen/boundWaiting.ts"
import { type Finding, finding } from "./finding.ts"

const check = "open files"

/** The finding about a process that may open so many files. */
export const openFilesFinding = (most: number | undefined): Finding => {
  if (most === undefined) return finding(check, "ok", "no bound is known here")
  return most < mostWaiting
    ? finding(
        check,
        "warning",
        `${most} at most, and each connection is one: the system resets those beyond; allow ${mostWaiting} (ulimit -n)`
      )
    : finding(check, "ok", `${most} at most`)
}

/** Of this process, which is started as a server would be. */
export const examineOpenFiles: Effect.Effect<Finding> = Effect.sync(() => openFilesFinding(mostOpenFiles()))
