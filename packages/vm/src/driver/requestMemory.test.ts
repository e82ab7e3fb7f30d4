/** The bounds of what is remembered, and that projects have nothing of each other. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { requestFor } from "../testdata/runtimeOverHttp.ts"
import { bytesOf, RequestMemory } from "./requestMemory.ts"
import { noRequests, type PastRequests } from "./pastRequests.ts"

const program = new Uint8Array()

const requestOf = (projectId: string, ...args: ReadonlyArray<string>) => requestFor(program, { projectId, args })

const asking = (...texts: ReadonlyArray<string>): PastRequests => ({
  requests: texts.map((text) => ({ text, answerBytes: 0, isExpected: true })),
  hasMissed: false,
  passMs: 0
})

const keep = (memory: RequestMemory, projectId: string, input: string, kept: PastRequests): void =>
  memory.find(requestOf(projectId, input)).update(() => kept)

const found = (memory: RequestMemory, projectId: string, input: string): PastRequests => memory.find(requestOf(projectId, input)).before

describe("the memory of requests", () => {
  it("finds them for the same project, program and inputs, and for nothing else", () => {
    const memory = new RequestMemory()
    keep(memory, "one", "ab", asking("GET a"))
    expect(found(memory, "one", "ab")).toEqual(asking("GET a"))
    expect(found(memory, "other", "ab")).toEqual(noRequests)
    expect(memory.find(requestOf("one", "a", "b")).before).toEqual(noRequests)
    expect(memory.find({ ...requestOf("one", "ab"), programId: "00" }).before).toEqual(noRequests)
  })

  it("changes what is there by then, not what was there at the start of the run", () => {
    const memory = new RequestMemory()
    const early = memory.find(requestOf("one", "x"))
    keep(memory, "one", "x", asking("GET a"))
    let seen: PastRequests | undefined
    early.update((before) => (seen = before))
    expect([early.before, seen]).toEqual([noRequests, asking("GET a")])
  })

  it("forgets of the project that takes most, what was not used for longest", () => {
    const entry = asking("GET a")
    const memory = new RequestMemory(4 * bytesOf(entry))
    for (const input of ["1", "2", "3"]) keep(memory, "large", input, entry)
    keep(memory, "small", "1", entry)
    keep(memory, "large", "1", entry)
    keep(memory, "small", "2", entry)
    expect(found(memory, "large", "2")).toEqual(noRequests)
    for (const input of ["1", "3"]) expect(found(memory, "large", input)).toEqual(entry)
    for (const input of ["1", "2"]) expect(found(memory, "small", input)).toEqual(entry)
  })

  it("takes no more than its bound, and counts right, whatever comes", () => {
    const kept = fc.tuple(
      fc.constantFrom("one", "two", "three"),
      fc.constantFrom("1", "2", "3", "4"),
      fc.array(fc.string({ maxLength: 300 }), { maxLength: 4 })
    )
    fc.assert(
      fc.property(fc.array(kept, { maxLength: 60 }), (all) => {
        const memory = new RequestMemory(3_000)
        for (const [project, input, texts] of all) {
          keep(memory, project, input, asking(...texts))
          expect(memory.bytes).toBeLessThanOrEqual(3_000)
        }
        let bytes = 0
        for (const project of ["one", "two", "three"]) {
          for (const input of ["1", "2", "3", "4"]) {
            const entry = found(memory, project, input)
            if (entry.requests.length > 0) bytes += bytesOf(entry)
          }
        }
        expect(memory.bytes).toBe(bytes)
      })
    )
  })
})
