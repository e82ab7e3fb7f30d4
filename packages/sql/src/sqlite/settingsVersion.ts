/** Whether anything that is configured in a SQLite file has changed. */
import type { DatabaseSync, StatementSync } from "./connection/databaseSync.ts"
import type { FileVersion } from "./fileVersion.ts"

/**
 * The row that triggers change with every change of keys, projects and programs, by any process. It is read only after something in the
 * file has changed, so at most once per turn of the event loop while only other connections write.
 */
export class SettingsVersion {
  readonly #database: DatabaseSync
  readonly #file: FileVersion
  /** Prepared at the first reading: the table is made by a migration. */
  #statement: StatementSync | undefined
  #fileVersion: string | undefined
  #version: string | undefined

  constructor(database: DatabaseSync, file: FileVersion) {
    this.#database = database
    this.#file = file
  }

  /** Changes with every commit of such a change; `undefined` if it cannot be read now. */
  readonly read = (): string | undefined => {
    const fileVersion = this.#file.read()
    if (fileVersion === undefined) return undefined
    if (fileVersion !== this.#fileVersion) {
      this.#version = this.#ask()
      this.#fileVersion = this.#version === undefined ? undefined : fileVersion
    }
    return this.#version
  }

  #ask(): string | undefined {
    try {
      this.#statement ??= this.#database.prepare("SELECT version FROM settings_version")
      const version = this.#statement.all()[0]?.["version"]
      return typeof version === "string" ? version : undefined
    } catch {
      // Another process locks readers out, or the file is gone: it is not known whether anything has changed.
      return undefined
    }
  }
}
