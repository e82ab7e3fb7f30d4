/** Whether the disk under a SQLite file has space for what the next commits write. */
import { StoreUnavailable } from "@sibyl/core"
import { Effect } from "effect"
import { statfs } from "node:fs/promises"
import { freeBytesOf, type Space } from "./connection/freeBytes.ts"

/** A commit writes up to 1 MiB of reports, with their indexes, to the log, and again to the file when the log is copied there. */
export const leastFreeBytes = 4 * 1_048_576

/** Whether the next commits may find the disk full. */
export const isNearlyFull = (space: Space): boolean => freeBytesOf(space) < leastFreeBytes

/**
 * A defect with `StoreUnavailable` if the disk is nearly full. A change of no row writes nothing, so it succeeds on a full disk. A file
 * system that does not say how much is free has enough.
 */
export const checkFreeSpace = (filename: string): Effect.Effect<void> =>
  Effect.tryPromise(() => statfs(filename)).pipe(
    Effect.orElseSucceed(() => undefined),
    Effect.flatMap((space) =>
      space !== undefined && isNearlyFull(space)
        ? Effect.die(new StoreUnavailable(`the disk is nearly full: less than ${leastFreeBytes} bytes are free`))
        : Effect.void
    )
  )
