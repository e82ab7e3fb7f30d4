/** Detects a database file that has lost its content, which SQLite would treat as a new database. */
import { foundAt } from "./foundAt.ts"

/**
 * Why a file must not be opened; `undefined` if it may. Our databases are never empty, because a file gets its name only once it has its
 * first page: an empty file has lost its content. So has a missing one whose log exists: SQLite would discard that log. Nor is one opened that may not be looked for.
 */
export const lostContent = (filename: string): string | undefined => {
  try {
    return lostContentOf(filename)
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause)
  }
}

const lostContentOf = (filename: string): string | undefined => {
  const found = foundAt(filename)
  const log = `${filename}-wal`
  if (found?.isDirectory() === true) return `${filename} is a folder, not a database file`
  if (found !== undefined && found.size > 0) return undefined
  if (found !== undefined) {
    return `${filename} is empty, which no database of Sibyl is: put a backup in its place, or remove it for a new one`
  }
  return (foundAt(log)?.size ?? 0) > 0
    ? `${filename} is missing, but its log ${log} is there: put both in their place, or remove the log for a new one`
    : undefined
}
