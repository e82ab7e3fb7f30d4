/** A backup that was altered or cut off anywhere is never taken for a sound one, and the refusal says what it is. */
import { createHash } from "node:crypto"
import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Either } from "effect"
import * as fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { completeBackup, readBackup, writeCopy } from "./backupFile.ts"
import type { Manifest } from "./manifest.ts"

const manifest: Manifest = {
  format: 1,
  database: "SQLite",
  sibyl: "0.1.0",
  schemaVersion: 13,
  network: "testnet",
  takenAt: "2026-11-23T00:00:00.000Z",
  hasSigningKey: false,
  counts: { projects: 1, entries: 2, reports: 3, programs: 4 },
  retentionMs: null,
  reportsPerProject: 1_000_000
}
const copy = Buffer.concat([Buffer.from("SQLite format 3\0"), Buffer.alloc(3_000, "page")])

let folder: string
let sound: Buffer

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sibyl-backup-"))
  const file = join(folder, "sound")
  writeFileSync(file, copy)
  await completeBackup(file, manifest)
  sound = readFileSync(file)
})
afterAll(() => rmSync(folder, { recursive: true }))

const verdictOn = async (bytes: Uint8Array): Promise<string> => {
  const file = join(folder, "other")
  writeFileSync(file, bytes)
  const read = await Effect.runPromise(Effect.either(readBackup(file)))
  return Either.match(read, { onLeft: ({ message }) => message.slice(file.length + 1), onRight: () => "sound" })
}

describe("a backup file", () => {
  it("has the copy and the manifest that were written", async () => {
    const file = join(folder, "sound")
    const read = await Effect.runPromise(readBackup(file))
    expect(read).toEqual({ file, manifest, copyBytes: copy.length })
    const target = join(folder, "copy")
    writeFileSync(target, "")
    await Effect.runPromise(writeCopy(read, target))
    expect(readFileSync(target).equals(copy)).toBe(true)
  })

  it("is refused with any byte changed", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 255 }), async (place, change) => {
        const bytes = Buffer.from(sound)
        const at = place % bytes.length
        bytes[at] = (bytes[at] ?? 0) ^ change
        expect(await verdictOn(bytes)).toMatch(/^is (?:truncated or altered|altered|no backup)/)
      }),
      { numRuns: 300 }
    )
  })

  it("is refused with its end cut off, something behind it, or a part left out", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(), async (one, other) => {
        const [from = 0, to = 0] = [one % sound.length, other % sound.length].toSorted((left, right) => left - right)
        const cut = await verdictOn(sound.subarray(0, from))
        expect(cut).toMatch(from >= 16 ? /^is truncated or altered/ : /^is (?:truncated or altered|no backup)/)
        if (to > from) expect(await verdictOn(Buffer.concat([sound.subarray(0, from), sound.subarray(to)]))).not.toBe("sound")
        expect(await verdictOn(Buffer.concat([sound, sound.subarray(from, to), Buffer.from("x")]))).not.toBe("sound")
      }),
      { numRuns: 60 }
    )
    const file = join(folder, "cut")
    writeFileSync(file, sound)
    truncateSync(file, sound.length - 1)
    appendFileSync(file, " ")
    expect(await verdictOn(readFileSync(file))).toMatch(/^is truncated or altered/)
  })

  it("is told from other files, and from those of a later form", async () => {
    expect(await verdictOn(Buffer.from("something else"))).toBe("is no backup of sibyl backup")
    expect(await verdictOn(new Uint8Array())).toBe("is no backup of sibyl backup")
    const text = JSON.stringify({ ...manifest, format: 2 })
    const head = `${text}\nsibyl-backup 1 ${String(text.length).padStart(10, "0")} `
    const sum = createHash("sha256").update(copy).update(head).digest("hex")
    expect(await verdictOn(Buffer.concat([copy, Buffer.from(`${head}${sum}\n`)]))).toMatch(/^is of a form that this version does not know/)
  })
})
