/** A disk that has no space for a file of a backup: what the operator is told, whoever found it out. */
import { statfsSync } from "node:fs"
import { dirname } from "node:path"
import { Data, Effect } from "effect"
import { CommandFailed } from "../output/failure.ts"

/** There is no space for the file, and nothing is left of it. */
export class DiskFull extends Data.TaggedError("DiskFull")<{
  readonly message: string
  readonly file: string
  /** On the disk of the file, once what was written of it is removed; `null` if the file system does not say. */
  readonly freeBytes: number | null
}> {}

/** As the runtimes, SQLite and the programs of PostgreSQL say it. */
const words = /ENOSPC|EDQUOT|no space left on device|no space is left|disk quota exceeded|disk is full/i

const freeBytesBeside = (file: string): number | null => {
  try {
    const { bavail, bsize } = statfsSync(dirname(file))
    return bavail * bsize
  } catch {
    return null
  }
}

/** Tells a full disk of the file from other failures of the work that writes it. The work leaves nothing of the file behind. */
export const orDiskFull =
  (file: string) =>
  <A, E, R>(work: Effect.Effect<A, E | CommandFailed, R>): Effect.Effect<A, E | CommandFailed | DiskFull, R> =>
    Effect.mapError(work, (error) => {
      if (!(error instanceof CommandFailed) || !words.test(error.message)) return error
      const freeBytes = freeBytesBeside(file)
      const free = freeBytes === null ? "" : ` (${freeBytes} bytes are free)`
      return new DiskFull({ message: `there is no space for ${file}${free}, and nothing is left of it: ${error.message}`, file, freeBytes })
    })
