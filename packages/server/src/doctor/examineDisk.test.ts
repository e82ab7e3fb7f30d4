/** What the doctor says of a disk. `/ready` has the same bound. */
import { leastFreeBytes } from "@sibyl/sql"
import { expect, test } from "vitest"
import { diskFinding, diskFindings } from "./examineDisk.ts"

test.each([
  [0, "failed", /^0 bytes are free, of the 4194304 that a server wants/],
  [leastFreeBytes - 1, "failed", /^4194303 bytes are free/],
  [leastFreeBytes, "ok", /^4 MiB are free$/],
  [Number.NaN, "skipped", /does not say/]
])("of %d free bytes it says %s", (free, status, message) => {
  expect(diskFinding(free)).toEqual({ check: "disk", status, message: expect.stringMatching(message) })
})

test("it asks the disk of a file, and none where the database is elsewhere", () => {
  expect(diskFindings(undefined)).toEqual([])
  expect(diskFindings(import.meta.filename).map(({ check }) => check)).toEqual(["disk"])
  // A file that is not there yet, nor its folders.
  expect(diskFindings(`${import.meta.dirname}/not/yet/sibyl.sqlite`)).toMatchObject([
    { check: "disk", message: expect.stringMatching(/are free/) }
  ])
})
