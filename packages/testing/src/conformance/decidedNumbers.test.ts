/** The decided numbers: limits, gas, prices (D22, D29, D31, D32, D38, D41). */
import { defaultGasLimits, defaultLimits, defaultTariff } from "@sibyl/core"
import { worstPriceOf } from "@sibyl/core/internal"
import { expect, it } from "vitest"

const KiB = 1_024
const MiB = 1_024 * KiB
const seconds = 1_000

it("D22: the default gas limits of a project", () => {
  expect(defaultGasLimits).toEqual({ exec: 300_000_000_000_000n, tally: 50_000_000_000_000n })
})

const ofRuns = {
  execWallClockMs: 30 * seconds,
  tallyWallClockMs: 10 * seconds,
  queueWaitMs: 10 * seconds,
  runsPerProject: 200,
  httpRequestTimeoutMs: 2 * seconds,
  httpRunBudgetMs: 20 * seconds,
  httpResponseBytes: MiB,
  httpRequestsPerProject: 512,
  httpPrefetches: 10,
  httpActionBytes: MiB,
  storageActionBytes: 3 * MiB,
  hostCalls: 256,
  hostCallBytes: 16 * MiB,
  inputBytes: 256 * KiB,
  programBytes: MiB,
  memoryPages: 160,
  stdoutBytes: 16 * KiB,
  stderrBytes: 16 * KiB,
  resultBytes: 96_000,
  recordingBytes: 256 * KiB,
  requestBytes: 2 * MiB,
  urlBytes: 16 * KiB,
  bodyMs: 30 * seconds
}

const ofConnections = {
  minPeriodMs: 10,
  maxPeriodMs: 24 * 3_600 * seconds,
  feedOverlap: 256,
  feedsPerConnection: 50,
  durableFeedsPerProject: 100,
  connectionsPerKey: 20,
  ticketsPerProject: 10_000,
  requestsPerConnection: 256,
  pingIntervalMs: 30 * seconds,
  outputSoftBytes: MiB,
  outputSoftMs: 5 * seconds,
  outputHardBytes: 16 * MiB
}

it("D29: the limits of a run and of a request", () => {
  expect(defaultLimits).toMatchObject(ofRuns)
})

it("D38, D41: the limits of connections and feeds", () => {
  expect(defaultLimits).toMatchObject(ofConnections)
})

it("every limit is decided", () => {
  const decided = [...Object.keys({ ...ofRuns, ...ofConnections }), "proxyBudgetCredits"]
  expect(Object.keys(defaultLimits).toSorted()).toEqual(decided.toSorted())
})

it("D31, D32: the price list, and what a run with the default limits holds", () => {
  expect(defaultTariff).toEqual({ baseCredits: 1n, gasPerCredit: 10n ** 12n, gasPerWorkerMs: 10n ** 10n })
  expect(defaultLimits.proxyBudgetCredits).toBe(1_000n)
  expect(worstPriceOf(defaultTariff, defaultGasLimits, defaultLimits.proxyBudgetCredits)).toEqual({
    base: 1n,
    gas: 350n,
    dataProxies: 1_000n,
    total: 1_351n
  })
})
