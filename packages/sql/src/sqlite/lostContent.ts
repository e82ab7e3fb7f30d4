/** Detects a database file that has lost its content, which SQLite would treat as a new database, and one that this user may not change. */
import { accessSync, constants } from "node:fs"
import { mayNotChange } from "./fileFault.ts"
import { foundAt } from "./foundAt.ts"

/**
 * Why a file must not be opened; `undefined` if it may. Our databases are never empty, because a file gets its name only once it has its
 * first page: an empty file has lost its content. So has a missing one whose log exists: SQLite would discard that log. Nor is one opened that may not be looked for, or not be
 * changed: who only reads changes files, too, those beside it.
 */
export const lostContent = (filename: string): string | undefined => {
  try {
    return lostContentOf(filename)
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause)
  }
}

/** Asks without opening the file: the end of any handle of a process takes its locks away. */
const forbidden = (filename: string, owner: number): string | undefined => {
  try {
    accessSync(filename, constants.R_OK | constants.W_OK)
    return undefined
  } catch (cause) {
    return mayNotChange(filename, owner, cause).message
  }
}

const lostContentOf = (filename: string): string | undefined => {
  const found = foundAt(filename)
  const log = `${filename}-wal`
  if (found?.isDirectory() === true) return `${filename} is a folder, not a database file`
  if (found !== undefined && found.size > 0) return forbidden(filename, found.uid)
  if (found !== undefined) {
    return `${filename} is empty, which no database of Sibyl is: put a backup in its place, or remove it for a new one`
  }
  return (foundAt(log)?.size ?? 0) > 0
    ? `${filename} is missing, but its log ${log} is there: put both in their place, or remove the log for a new one`
    : undefined
}
