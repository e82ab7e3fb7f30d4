/** Cursors decode to their position, and only for the reports that they were made for. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { readCursor, writeCursor } from "./reportCursor.ts"

const places = fc.record({ executedAtMs: fc.maxSafeNat(), sequence: fc.maxSafeNat() })
const reports = fc.record({ projectId: fc.uuid(), drId: fc.hexaString({ minLength: 64, maxLength: 64 }) })

test("a cursor round-trips, and needs no escaping in a query", () => {
  fc.assert(
    fc.property(places, reports, (place, paged) => {
      const cursor = writeCursor(place, paged)
      expect(cursor).toMatch(/^[A-Za-z0-9_-]{32}$/)
      expect(readCursor(cursor, paged)).toEqual(place)
    })
  )
})

test("a cursor of another project or another drId is refused", () => {
  fc.assert(
    fc.property(places, reports, reports, (place, mine, other) => {
      fc.pre(mine.projectId !== other.projectId && mine.drId !== other.drId)
      const cursor = writeCursor(place, mine)
      expect(readCursor(cursor, { ...mine, projectId: other.projectId })).toBeUndefined()
      expect(readCursor(cursor, { ...mine, drId: other.drId })).toBeUndefined()
    })
  )
})

test("a cursor with one character changed is refused", () => {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
  fc.assert(
    fc.property(places, reports, fc.nat(31), fc.constantFrom(...alphabet.split("")), (place, paged, at, character) => {
      const cursor = writeCursor(place, paged)
      fc.pre(cursor[at] !== character)
      expect(readCursor(cursor.slice(0, at) + character + cursor.slice(at + 1), paged)).toBeUndefined()
    })
  )
})

test("any other text is refused", () => {
  fc.assert(
    fc.property(fc.oneof(fc.fullUnicodeString(), fc.base64String({ maxLength: 40 })), reports, (text, paged) => {
      expect(readCursor(text, paged)).toBeUndefined()
    })
  )
})
