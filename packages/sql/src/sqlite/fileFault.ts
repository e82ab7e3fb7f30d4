/** Why a file or folder could not be made, looked for or read, for people. */
import { dirname } from "node:path"
import { SqlError } from "@effect/sql/SqlError"

const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "no space is left",
  EDQUOT: "no space is left",
  ENOENT: "this file system takes none"
}

/** The runtime's short name of a fault, such as `EACCES`; what else was thrown as a text. */
export const faultCode = (fault: unknown): string =>
  typeof fault === "object" && fault !== null && "code" in fault ? String(fault.code) : String(fault)

const reasonOf = (cause: unknown): string => {
  const code = faultCode(cause)
  const reason = reasons[code]
  return reason === undefined ? code : `${reason} (${code})`
}

/** The error to be told: `what` names the thing, as in `the folder /srv/sibyl`. */
export const notMade = (what: string, cause: unknown): Error => new Error(`cannot make ${what}: ${reasonOf(cause)}`, { cause })

/** The same where it is not known whether there is something at a path, as in a folder that may not be entered. */
export const notLookedFor = (path: string, cause: unknown): Error => new Error(`cannot look for ${path}: ${reasonOf(cause)}`, { cause })

/** The same of a file that may not be read and changed: its owner may. */
export const mayNotChange = (path: string, owner: number, cause: unknown): Error =>
  new Error(`cannot read and change ${path}, which belongs to user ${owner}: ${reasonOf(cause)}`, { cause })

/** SQLite's own words (sqlite.org/rescode.html), which name no file, and what they mean. */
type Meanings = ReadonlyArray<readonly [said: string, meaning: (path: string) => string]>

const damages: Meanings = [
  ["file is not a database", (path) => `${path} is no database of SQLite, or its first page is damaged`],
  ["database disk image is malformed", (path) => `${path} is damaged, put a backup in its place`]
]

const lacks: Meanings = [
  ["database or disk is full", (path) => `there is no space for ${path}, free some on the disk of the folder ${dirname(path)}`]
]

const naming =
  (meanings: Meanings) =>
  (path: string) =>
  (error: SqlError): SqlError => {
    const { cause } = error
    const [, meaning] = meanings.find(([said]) => cause instanceof Error && cause.message.includes(said)) ?? []
    return meaning === undefined ? error : new SqlError({ cause, message: meaning(path) })
  }

/** The error of a file that SQLite cannot read, with its name; any other error as it is. */
export const namingFile = naming(damages)

/** The same of a file that SQLite has no space to write. */
export const namingFullDisk = naming(lacks)
