/** SQLite's primary result code of an error, from any driver (sqlite.org/rescode.html). */

/** The codes that are handled. */
export const sqliteCodes = { busy: 5, locked: 6, readOnly: 8, ioError: 10, full: 13, cannotOpen: 14 } as const

/** One of the drivers omits the code if a statement returns rows; the library's texts for these codes are stable. */
const codesByText: ReadonlyMap<string, number> = new Map([
  ["database is locked", sqliteCodes.busy],
  ["database table is locked", sqliteCodes.locked],
  ["attempt to write a readonly database", sqliteCodes.readOnly],
  ["disk I/O error", sqliteCodes.ioError],
  ["database or disk is full", sqliteCodes.full],
  ["unable to open database file", sqliteCodes.cannotOpen]
])

const primaryCodeMask = 0xff

/** The code; `undefined` if the error is not SQLite's, or has another code. */
export const sqliteCodeOf = (cause: unknown): number | undefined => {
  if (!(cause instanceof Error)) return undefined
  const fault: Error & { readonly code?: unknown; readonly errcode?: unknown } = cause
  if (typeof fault.errcode === "number") return fault.errcode & primaryCodeMask
  return fault.code === "ERR_SQLITE_ERROR" ? codesByText.get(fault.message) : undefined
}
