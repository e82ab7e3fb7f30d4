/** What an operator is told where SQLite's own words name no file. */
import { SqlError } from "@effect/sql/SqlError"
import { expect, test } from "vitest"
import { namingFile, namingFullDisk } from "./fileFault.ts"

const saying = (words: string): SqlError => new SqlError({ cause: new Error(words), message: "Failed to execute statement" })

test("a disk without space is told with the file and its folder", () => {
  const told = namingFullDisk("/srv/sibyl/sibyl.sqlite")(saying("database or disk is full"))
  expect(told.message).toBe("there is no space for /srv/sibyl/sibyl.sqlite, free some on the disk of the folder /srv/sibyl")
  expect(told.cause).toMatchObject({ message: "database or disk is full" })
})

test("other words stay as they are, also those of a full disk where a copy is made, whose disk is another one", () => {
  const locked = saying("database is locked")
  expect(namingFullDisk("/srv/sibyl.sqlite")(locked)).toBe(locked)
  const full = saying("database or disk is full")
  expect(namingFile("/srv/sibyl.sqlite")(full)).toBe(full)
})
