/** Finds the PostgreSQL that is installed on this machine, if there is one. */
import { existsSync, readdirSync } from "node:fs"
import { delimiter, join } from "node:path"

/** Paths of the two programs that a test database needs. */
export interface PostgresPrograms {
  readonly initdb: string
  readonly postgres: string
}

/** Debian and its derivatives install the programs of each major version here, outside of the PATH. */
const versionsFolder = "/usr/lib/postgresql"

const versionFolders = (): ReadonlyArray<string> =>
  existsSync(versionsFolder)
    ? readdirSync(versionsFolder)
        .sort((left, right) => Number(right) - Number(left))
        .map((version) => join(versionsFolder, version, "bin"))
    : []

/** The programs in the first folder that has both: from the PATH, then the newest packaged version, then `/usr/local`. */
export const findPostgres = (path: string = process.env["PATH"] ?? ""): PostgresPrograms | undefined =>
  [...path.split(delimiter).filter((folder) => folder !== ""), ...versionFolders(), "/usr/local/bin"]
    .map((folder) => ({ initdb: join(folder, "initdb"), postgres: join(folder, "postgres") }))
    .find(({ initdb, postgres }) => existsSync(initdb) && existsSync(postgres))

/** Why PostgreSQL tests cannot run here, for the title of a skipped test; `undefined` if they can. */
export const whyNoPostgres: string | undefined =
  findPostgres() === undefined ? "no PostgreSQL is installed: initdb and postgres were not found" : undefined
