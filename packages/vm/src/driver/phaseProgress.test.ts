/** What a run that found no worker is told: when to come again. */
import { defaultLimits } from "@sibyl/core"
import { expect, it } from "vitest"
import type { PassReply } from "../pool/passJob.ts"
import { requestFor } from "../testdata/runtimeOverHttp.ts"
import { emptyTape } from "../testdata/vectors.ts"
import { beginning, stepAfter } from "./phaseProgress.ts"

/** `Retry-After` of the refusal, in seconds, with a queue in which runs wait so long. */
const toldAfter = (kind: "queueFull" | "waitedTooLong", queueWaitMs: number): number | undefined => {
  const request = requestFor(new Uint8Array(), { limits: { ...defaultLimits, queueWaitMs } })
  const reply: PassReply = { kind }
  const step = stepAfter(reply, request, beginning(request, emptyTape, undefined))
  return step.kind === "refused" ? step.error.retryAfterSeconds : undefined
}

it("as long again as it has waited, within the bounds; after a second if it has not", () => {
  expect([100, 2_001, 10_000, 600_000].map((waitMs) => toldAfter("waitedTooLong", waitMs))).toEqual([1, 3, 10, 30])
  expect(toldAfter("queueFull", 10_000)).toBe(1)
})
