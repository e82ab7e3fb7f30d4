/** Files that a misspelled path leads to, and damaged ones: they are named, and neither changed nor closed to others. */
import { Cause, Effect, Exit, Layer } from "effect"
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { basename, dirname } from "node:path"
import { expect, test } from "vitest"
import { temporaryDatabase } from "../fixtures/temporaryDatabase.ts"
import { inspectDatabase, layerSqliteAsItIs } from "../inspectDatabase.ts"
import { backUpSqlite } from "./backUp.ts"
import { loadDatabaseSync } from "./connection/loadDatabaseSync.ts"
import { layerSqlite } from "./layerSqlite.ts"

const modeOf = (file: string): number => statSync(file).mode & 0o777

const messageOf = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.map(Effect.exit(effect), (exit) => {
    const fault = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
    return fault instanceof Error ? fault.message : "it was opened"
  })

const opened = (filename: string) => messageOf(Effect.scoped(Layer.build(Layer.fresh(layerSqlite({ filename })))))
const copied = (filename: string) => messageOf(backUpSqlite(filename, `${filename}.copy`, { withSecrets: true }))
const examined = (filename: string) => messageOf(Effect.provide(inspectDatabase, Layer.fresh(layerSqliteAsItIs({ filename }))))

const onFile = (work: (filename: string) => Effect.Effect<void, unknown>) =>
  Effect.runPromise(Effect.scoped(Effect.flatMap(temporaryDatabase, work)))

test("what is no database is named, and others may still read it", () =>
  onFile((filename) =>
    Effect.gen(function* () {
      writeFileSync(filename, "the notes of somebody else\n".repeat(400))
      chmodSync(filename, 0o644)
      const said = `${filename} is no database of SQLite, or its first page is damaged`
      expect(yield* opened(filename)).toBe(`opening the database: ${said}: file is not a database`)
      expect(yield* examined(filename)).toBe(`opening the database: ${said}: file is not a database`)
      expect(yield* copied(filename)).toBe(said)
      expect(modeOf(filename)).toBe(0o644)
    })
  ))

test("a truncated database is named, with what to do", () =>
  onFile((filename) =>
    Effect.gen(function* () {
      expect(yield* opened(filename)).toBe("it was opened")
      const bytes = readFileSync(filename)
      writeFileSync(filename, bytes.subarray(0, bytes.length / 2))
      expect(yield* opened(filename)).toContain(`${filename} is damaged, put a backup in its place`)
      expect(yield* copied(filename)).toContain(`${filename} is damaged, put a backup in its place`)
    })
  ))

test("the database of another application is refused, and not a byte of it is changed", () =>
  onFile((filename) =>
    Effect.gen(function* () {
      const Database = yield* loadDatabaseSync
      const other = new Database(filename)
      other.exec("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)")
      other.close()
      chmodSync(filename, 0o664)
      const before = readFileSync(filename)
      const said = "this is the database of another application: it has a table notes, and none of Sibyl"
      expect(yield* opened(filename)).toBe(`opening the database: ${said}`)
      expect(yield* examined(filename)).toBe(`opening the database: ${said}`)
      expect(yield* copied(filename)).toBe(said)
      expect(modeOf(filename)).toBe(0o664)
      expect(readFileSync(filename).equals(before)).toBe(true)
      // Nor is there anything beside it.
      expect(readdirSync(dirname(filename))).toEqual([basename(filename)])
    })
  ))

test("a database of Sibyl that others may read is made private when it is opened", () =>
  onFile((filename) =>
    Effect.gen(function* () {
      yield* opened(filename)
      chmodSync(filename, 0o644)
      expect(yield* opened(filename)).toBe("it was opened")
      expect(modeOf(filename)).toBe(0o600)
    })
  ))
