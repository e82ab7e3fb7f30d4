/** Which program of PostgreSQL is taken of those that a machine has, and what is said when none does. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Either, Redacted } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { environmentOf, findTool, type PostgresTool } from "./postgresTools.ts"

let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "sibyl-tools-"))
})
afterAll(() => rmSync(root, { recursive: true }))

/** A folder with both programs, which say that they are of a version. */
const folderOf = (version: string): string => {
  const folder = join(root, version.replaceAll(" ", "-"))
  mkdirSync(folder, { recursive: true })
  for (const tool of ["pg_dump", "pg_restore"]) {
    writeFileSync(join(folder, tool), `#!/bin/sh\necho "${tool} (PostgreSQL) ${version}"\n`, { mode: 0o755 })
  }
  return folder
}

const found = (tool: PostgresTool, serverVersion: number, folders: ReadonlyArray<string>) =>
  Effect.runPromise(
    Effect.map(
      Effect.either(findTool(tool, serverVersion, folders)),
      Either.mapLeft(({ message }) => message)
    )
  )

it("is the server's own version, else the oldest newer one", async () => {
  const folders = ["15.9", "18beta1", "17.4 (Debian 17.4-1)", "16.3"].map(folderOf)
  const [, beta = "", ours = "", older = ""] = folders
  expect(await found("pg_dump", 17, folders)).toEqual(Either.right(join(ours, "pg_dump")))
  expect(await found("pg_restore", 16, folders)).toEqual(Either.right(join(older, "pg_restore")))
  expect(await found("pg_dump", 18, folders)).toEqual(Either.right(join(beta, "pg_dump")))
})

it("says what to install when there is none, or only older ones", async () => {
  for (const tool of ["pg_dump", "pg_restore"] as const) {
    const needed = `${tool} of PostgreSQL 17 or newer is needed`
    const install = "install postgresql-client-17 (Debian, Ubuntu) or postgresql17 (Fedora)"
    expect(await found(tool, 17, [root])).toEqual(Either.left(`${needed}, none was found: ${install}`))
    const folders = ["15.9", "16.3"].map(folderOf)
    expect(await found(tool, 17, folders)).toEqual(Either.left(`${needed}, those found are of 15 and 16: ${install}`))
  }
})

it("passes over what cannot be run", async () => {
  const broken = join(root, "broken")
  mkdirSync(broken)
  writeFileSync(join(broken, "pg_dump"), "not a program", { mode: 0o755 })
  writeFileSync(join(broken, "pg_restore"), "", { mode: 0o644 })
  const sound = folderOf("17.4")
  for (const tool of ["pg_dump", "pg_restore"] as const)
    expect(await found(tool, 17, [broken, sound])).toEqual(Either.right(join(sound, tool)))
})

it("gets what the address says of TLS, in its own words", () => {
  const said = (query: string) => environmentOf(Redacted.make(`postgres://sibyl:p%40ss@[::1]:5433/a${query}`))
  const plain = { PGHOST: "::1", PGPORT: "5433", PGUSER: "sibyl", PGPASSWORD: "p@ss", PGDATABASE: "a" }
  expect(said("")).toEqual(plain)
  expect(said("?sslmode=no-verify")).toEqual({ ...plain, PGSSLMODE: "require" })
  expect(said("?sslmode=verify-full&sslrootcert=/ca.pem&sslcert=/our.pem&sslkey=/our.key")).toEqual({
    ...plain,
    PGSSLMODE: "verify-full",
    PGSSLROOTCERT: "/ca.pem",
    PGSSLCERT: "/our.pem",
    PGSSLKEY: "/our.key"
  })
})
