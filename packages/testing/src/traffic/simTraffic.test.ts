/** The service conforms under any traffic, on simulated time, killed and started again at any moment. */
import { writeFileSync } from "node:fs"
import fc from "fast-check"
import { expect, test } from "vitest"
import { conforms } from "./conforms.ts"
import { openSimTarget } from "./sim/openSimTarget.ts"

test("the service in memory", async () => {
  let count = 0
  const t0 = performance.now()
  const statuses = new Map<string, number>()
  await fc.assert(
    conforms(openSimTarget(), {
      onSequence: ({ history }) => {
        count += 1
        for (const { answer } of history.calls) {
          const tag = /"_tag":"(\w+)"/.exec(answer?.text ?? "")?.[1] ?? ""
          const name = `${answer?.status} ${tag}`
          statuses.set(name, (statuses.get(name) ?? 0) + 1)
        }
      }
    }),
    { numRuns: Number(process.env["RUNS"] ?? 20), seed: Number(process.env["SEED"] ?? 1), ...(process.env["FPATH"] === undefined ? {} : { path: process.env["FPATH"] }), endOnFailure: process.env["NOSHRINK"] !== undefined }
  ).catch((e: unknown) => {
    writeFileSync("/tmp/kit-traffic-fail.txt", String((e as Error).message))
    throw new Error("failed")
  }).finally(() => console.log(count, performance.now() - t0, [...statuses]))
  expect(count).toBeGreaterThan(0)
}, 600_000)
