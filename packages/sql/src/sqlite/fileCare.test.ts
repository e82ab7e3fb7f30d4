/** The database file: created privately, never replaced by a new one if its content is lost, copied privately. */
import { SqlClient } from "@effect/sql/SqlClient"
import { Cause, Effect, Exit, Layer } from "effect"
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { temporaryDatabase } from "../fixtures/temporaryDatabase.ts"
import { damagesOfDatabase, layerSqliteAsItIs } from "../inspectDatabase.ts"
import { migrate, migrationsTable, newestSchemaVersion } from "../migrations/migrate.ts"
import { SqlDefect } from "../database/sqlDefect.ts"
import { backUpSqlite } from "./backUp.ts"
import { layerSqlite } from "./layerSqlite.ts"
import { makeFolder } from "./makeFolder.ts"

const scoped = <A, E>(test: (filename: string) => Effect.Effect<A, E>) =>
  Effect.runPromise(Effect.scoped(Effect.flatMap(temporaryDatabase, test)))

const open = (filename: string) => Layer.fresh(layerSqlite({ filename }))

/** Creates a database with some rows and closes it. */
const made = (filename: string) =>
  Effect.provide(
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* sql`CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)`
      for (let at = 0; at < 500; at += 1) yield* sql`INSERT INTO notes (text) VALUES (${"note ".repeat(40)})`
    }),
    open(filename)
  )

const refusal = (filename: string) =>
  Effect.map(Effect.exit(Effect.scoped(Layer.build(open(filename)))), (exit) => {
    const [defect] = Exit.isFailure(exit) ? [...Cause.defects(exit.cause)] : []
    expect(defect).toBeInstanceOf(SqlDefect)
    return String(defect)
  })

const modeOf = (file: string): number => statSync(file).mode & 0o777

describe("a new database", () => {
  it("has its first page when it gets its name, also with concurrent creation, and leaves no other file", () =>
    scoped((filename) =>
      Effect.gen(function* () {
        const opened = Effect.scoped(Layer.build(open(filename)))
        yield* Effect.all([opened, opened, opened], { concurrency: "unbounded" })
        expect(statSync(filename).size).toBeGreaterThan(0)
        expect(modeOf(filename)).toBe(0o600)
        const strangers = readdirSync(dirname(filename)).filter((name) => !/^sibyl\.db(?:-wal|-shm)?$/.test(name))
        expect(strangers).toEqual([])
      })
    ))
})

describe("a file that has lost its content", () => {
  it("is refused if it is empty, and stays unchanged, with its log", () =>
    scoped((filename) =>
      Effect.gen(function* () {
        yield* made(filename)
        truncateSync(filename)
        writeFileSync(`${filename}-wal`, "the last entries")
        expect(yield* refusal(filename)).toMatch(/is empty, which no database of Sibyl is: put a backup in its place/)
        expect(statSync(filename).size).toBe(0)
        expect(readFileSync(`${filename}-wal`, "utf8")).toBe("the last entries")
      })
    ))

  it("is refused if it is missing and its log exists", () =>
    scoped((filename) =>
      Effect.gen(function* () {
        yield* made(filename)
        rmSync(filename)
        writeFileSync(`${filename}-wal`, "the last entries")
        expect(yield* refusal(filename)).toMatch(/is missing, but its log .* is there/)
        expect(existsSync(filename)).toBe(false)
        writeFileSync(`${filename}-wal`, "")
        yield* Effect.scoped(Layer.build(open(filename)))
      })
    ))
})

describe("a damaged page", () => {
  it("is detected, and a sound file has none", () =>
    scoped((filename) =>
      Effect.gen(function* () {
        yield* made(filename)
        const damages = Effect.provide(damagesOfDatabase, Layer.fresh(layerSqliteAsItIs({ filename })))
        expect(yield* damages).toEqual([])
        const bytes = readFileSync(filename)
        bytes.fill(0xa5, 8 * 4_096, 9 * 4_096)
        writeFileSync(filename, bytes)
        expect(String(yield* damages)).toMatch(/page|malformed|rowid|cell/i)
      })
    ))
})

describe("a database of a newer schema", () => {
  it("is refused and not changed", () =>
    scoped((filename) =>
      Effect.gen(function* () {
        yield* Effect.scoped(Layer.build(open(filename)))
        const next = newestSchemaVersion + 1
        const later = Effect.gen(function* () {
          const sql = yield* SqlClient
          yield* sql`INSERT INTO ${sql(migrationsTable)} (migration_id, name) VALUES (${next}, 'later')`
          return yield* Effect.exit(migrate)
        })
        const exit = yield* Effect.provide(later, open(filename))
        const [defect] = Exit.isFailure(exit) ? [...Cause.defects(exit.cause)] : []
        const text = `a newer Sibyl has opened this database (its schema has version ${next}`
        expect(String(defect)).toContain(text)
        expect(yield* refusal(filename)).toContain(text)
      })
    ))
})

describe("a backup", () => {
  it("of an open database is complete, and only its owner can read it, whatever the umask", () =>
    scoped((filename) =>
      Effect.gen(function* () {
        yield* made(filename)
        const target = `${filename}'s copy`
        const before = process.umask(0)
        const size = yield* Effect.provide(backUpSqlite(filename, target, { withSecrets: true }), open(filename))
        process.umask(before)
        expect([modeOf(target), statSync(target).size]).toEqual([0o600, size])
        const count = Effect.flatMap(SqlClient, (sql) => sql`SELECT count(*) AS notes FROM notes`)
        expect(yield* Effect.provide(count, open(target))).toMatchObject([{ notes: 500 }])
      })
    ))

  it("replaces no file, and leaves nothing behind if it fails", () =>
    scoped((filename) =>
      Effect.gen(function* () {
        yield* made(filename)
        const target = join(dirname(filename), "there")
        writeFileSync(target, "already")
        expect(Exit.isFailure(yield* Effect.exit(backUpSqlite(filename, target, { withSecrets: true })))).toBe(true)
        expect(readFileSync(target, "utf8")).toBe("already")
        expect(readdirSync(dirname(filename)).filter((name) => name.includes("partial"))).toEqual([])
      })
    ))
})

describe("a folder", () => {
  it("is created with its parents, for its owner only", () =>
    scoped((filename) =>
      Effect.sync(() => {
        const folder = join(dirname(filename), "a", "b", "c")
        makeFolder(folder)
        makeFolder(folder)
        expect([modeOf(folder), modeOf(dirname(folder))]).toEqual([0o700, 0o700])
      })
    ))

  it("that cannot be created is an error with the reason, at once", () =>
    scoped((filename) =>
      Effect.sync(() => {
        const file = join(dirname(filename), "file")
        writeFileSync(file, "")
        expect(() => makeFolder(join(file, "below"))).toThrow(`${file} is a file, not a folder`)
        expect(() => makeFolder(file)).toThrow(`${file} is a file, not a folder`)
        const closed = join(dirname(filename), "closed")
        mkdirSync(closed)
        chmodSync(closed, 0o500)
        // The superuser may write there anyway.
        if (process.getuid?.() !== 0) expect(() => makeFolder(join(closed, "x"))).toThrow(/permission denied \(EACCES\)/)
      })
    ))

  it.skipIf(process.platform !== "linux")("in a file system that accepts none is an error (skipped: only Linux has /proc)", () => {
    expect(() => makeFolder("/proc/x/y")).toThrow(/cannot make the folder \/proc\/x: .*\(E[A-Z]+\)/)
  })
})
