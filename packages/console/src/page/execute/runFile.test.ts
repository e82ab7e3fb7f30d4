/** A run that is saved and opened is the same run, and what is no run is refused with a reason. */
import fc from "fast-check"
import { expect, test } from "vitest"

// The page's modules read the address when they are loaded.
Object.assign(globalThis, { location: { pathname: "/console" } })
const { readRunFile, recordedIdOf, runFileName, runFileText } = await import("./runFile.ts")

const withId = (drId: unknown, rest: unknown) => ({ data: { dataResult: { drId, rest } }, other: rest })

test("what is saved is opened as it was", () => {
  fc.assert(
    fc.property(fc.hexaString({ minLength: 64, maxLength: 64 }), fc.jsonValue(), (drId, rest) => {
      const body: unknown = JSON.parse(JSON.stringify(withId(drId, rest)))
      expect(readRunFile(runFileText(body))).toEqual({ body })
      expect(runFileName(body)).toBe(`sibyl-run-${drId.slice(0, 12)}.json`)
    })
  )
})

test("any other text is refused, and never thrown at", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      expect(readRunFile(text)).toHaveProperty("fault")
    })
  )
  expect(readRunFile("{")).toEqual({ fault: "The file is not JSON." })
  expect(readRunFile(runFileText(withId(1, 0)))).toHaveProperty("fault")
})

test.each([undefined, null, "x", withId("../../etc", 0)])("the name of a file takes nothing odd from an answer: %j", (body) => {
  expect(runFileName(body)).toBe("sibyl-run.json")
})

test("a recording can be asked for where the service says that it was kept", () => {
  const id = "01a20a42-4ef3-7ca2-9e7c-e40bafba357e"
  expect(recordedIdOf({ data: { id, recording: { kept: true, bytes: 9 } } })).toBe(id)
  const others = [
    { id, recording: { kept: false, bytes: 9 } },
    { id, recording: null },
    { id },
    { id: "../keys", recording: { kept: true } }
  ]
  for (const data of others) expect(recordedIdOf({ data })).toBe("")
  expect(recordedIdOf(undefined)).toBe("")
})
