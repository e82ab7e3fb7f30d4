/** `sibyl top` reads metrics that a server has. */
import { everyMetric } from "@sibyl/telemetry"
import { expect, it } from "vitest"
import { names } from "./metricNames.ts"

it("each metric that is read is one that a server has", () => {
  const known = new Set(everyMetric.map(({ name }) => name))
  expect(known.size).toBeGreaterThan(20)
  expect(Object.values(names).filter((name) => !known.has(name))).toEqual([])
})
