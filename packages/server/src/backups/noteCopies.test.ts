/** A backup whose database cannot have an entry of it is told why, and does not fail. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import { expect, it } from "vitest"
import type { Manifest } from "./manifest.ts"
import { noteBackup } from "./noteCopies.ts"

const manifest = (schemaVersion: number): Manifest => ({
  format: 1,
  database: "SQLite",
  sibyl: "0.1.0",
  schemaVersion,
  network: "testnet",
  takenAt: "2026-11-23T00:00:00.000Z",
  hasSigningKey: false,
  counts: { projects: 0, entries: 0, reports: 0, programs: 0 },
  retentionMs: null,
  reportsPerProject: null
})

it("of an older schema, or of a database that takes none", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sibyl-note-"))
  try {
    const database = Redacted.make(`sqlite:${join(folder, "empty.sqlite")}`)
    const why = (schemaVersion: number) =>
      Effect.runPromise(noteBackup(database, { file: "/a.backup", manifest: manifest(schemaVersion), sizeBytes: 1 }))
    expect(await why(14)).toBe("the database has schema 14, which keeps no audit trail")
    expect(await why(15)).toMatch(/^keeping a change in the audit trail: .*audit_trail/)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
