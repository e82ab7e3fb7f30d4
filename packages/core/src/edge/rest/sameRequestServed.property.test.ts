/** The whole service has one drId and one record for GET and POST of one request, dry and in earnest (decision D5). */
import { soakCount } from "@sibyl/testing/soak"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { spelledRequests } from "../../testdata/spelledRequests.ts"
import { openTestService, seamRequest } from "../../testdata/testService.ts"

let testService: Awaited<ReturnType<typeof openTestService>>

beforeAll(async () => {
  testService = await openTestService({ credits: 10n ** 15n })
})

afterAll(() => testService.service.dispose())

interface Answered {
  readonly data?: {
    readonly drId?: string
    readonly dataRequest?: unknown
    readonly dataResult?: { readonly drId: string }
  }
  readonly details?: unknown
}

/** The service's result for a request: its drId, and its record if it ran, or the refusal. */
const outcomeOf = async (method: string, target: string, body?: string): Promise<string> => {
  const response = await testService.service.fetch(
    seamRequest(method, target, {
      headers: { authorization: `Bearer ${testService.key}` },
      ...(body === undefined ? {} : { body })
    })
  )
  const { data, details } = JSON.parse(String(response?.body)) as Answered
  return data === undefined
    ? `${response?.status} ${JSON.stringify(details)}`
    : `${data.drId ?? data.dataResult?.drId} ${JSON.stringify(data.dataRequest ?? {})}`
}

/** Compares both spellings of many requests; answers how many of them were not refused. */
const compared = async (numRuns: number, flags: string): Promise<number> => {
  let identified = 0
  let asked = 0
  const programId = fc.constantFrom(testService.execProgramId, testService.tallyProgramId)
  await fc.assert(
    fc.asyncProperty(spelledRequests(programId), async ({ get, post }) => {
      // The memory stores never yield to the event loop, so this does.
      if ((asked += 1) % 50 === 0) await new Promise((resolve) => setImmediate(resolve))
      const outcome = await outcomeOf("GET", `${get}${flags}`)
      expect(await outcomeOf("POST", `${post.target}${flags}`, post.body)).toBe(outcome)
      if (/^[0-9a-f]{64} /.test(outcome)) identified += 1
    }),
    { numRuns }
  )
  return identified
}

// Enough of the requests must run, not share a refusal.
describe("one request to the service", () => {
  it("has one drId as GET and as POST", { timeout: 3_600_000 }, async () => {
    const count = soakCount({ everyday: 1_000, full: 10_000 })
    expect(await compared(count, "&dryRun")).toBeGreaterThan(count / 2)
  })

  it("is run and signed under one record as GET and as POST", { timeout: 3_600_000 }, async () => {
    const count = soakCount({ everyday: 150, full: 300 })
    expect(await compared(count, "")).toBeGreaterThan(count / 3)
  })
})
