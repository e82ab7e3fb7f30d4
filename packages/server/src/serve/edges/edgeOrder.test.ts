/** What an edge is told: the whole configuration, and its part of what is divided. */
import fc from "fast-check"
import { Redacted } from "effect"
import { expect, it } from "vitest"
import { configurationOf } from "../../config/configuration.ts"
import { configurationIn, edgeOrder, partOf } from "./edgeOrder.ts"

const configuration = configurationOf(
  {
    values: { edges: 3, workers: 4, maxRunsInFlight: 10, databaseConnections: 5, signInThreads: false, "tariff.base": 2n },
    origins: new Map()
  },
  undefined,
  {
    database: Redacted.make("postgres://user:secret@db/sibyl"),
    hostHeaders: { "a.example": { authorization: "Bearer x" } },
    extraCaPem: undefined
  }
)

it("divides a total into parts that differ by one at most", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000 }), fc.integer({ min: 1, max: 64 }), (total, edges) => {
      const parts = Array.from({ length: edges }, (_, index) => partOf(total, edges, index))
      expect(Math.max(...parts) - Math.min(...parts)).toBeLessThanOrEqual(1)
      expect(parts.reduce((sum, part) => sum + part, 0)).toBe(Math.max(total, edges))
    })
  )
})

it("has workers, runs and connections in parts, the port that was found, and everything else as it is", () => {
  const orders = [0, 1, 2].map((index) => edgeOrder(configuration, { ...configuration.outbound, allowHosts: ["a.example"] }, 4321, index))
  expect(orders.map(({ workers }) => workers)).toEqual([2, 1, 1])
  expect(orders.map(({ service }) => service.maxRunsInFlight)).toEqual([4, 3, 3])
  expect(orders.map(({ databaseConnections }) => databaseConnections)).toEqual([2, 2, 2])
  const [first] = orders
  const sent = structuredClone(first)
  expect(sent).toEqual(first)
  const { file: _file, settings: _settings, ...whole } = configuration
  expect(sent === undefined ? undefined : configurationIn(sent)).toEqual({
    ...whole,
    port: 4321,
    outbound: { ...whole.outbound, allowHosts: ["a.example"] },
    workers: 2,
    databaseConnections: 2,
    service: { ...whole.service, maxRunsInFlight: 4 }
  })
})
