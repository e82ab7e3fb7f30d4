/** A stall of the whole service costs no connection whose client has answered (decision D41). */
import { expect, test } from "vitest"
import { resolveProject } from "../../domain/accounts/project.ts"
import { defaultLimits } from "../../domain/settings/limits.ts"
import { metricList } from "../../ports/metrics/metricList.ts"
import { silent } from "../../ports/metrics/metrics.ts"
import { openTestService } from "../../testdata/testService.ts"
import { Connection, type ConnectionHost } from "./connection.ts"
import { LongMessages } from "./longMessages.ts"

const pingIntervalMs = 1_000
const tickMs = 250

const unused = (): never => {
  throw new Error("a connection without requests needs this not")
}

/** A connection on a clock that the test moves. */
const connect = async () => {
  const { project, service } = await openTestService()
  await service.dispose()
  const seen = { nowMs: 0, pings: 0, isCut: false, closed: new Array<unknown>(), counted: new Array<string>() }
  const host: ConnectionHost = {
    fork: unused,
    feeds: { own: { start: unused }, shared: { join: unused, count: () => 0 } },
    metrics: {
      ...silent,
      add: (metric, by, ...labels) => void (metric === metricList.connectionsClosed && seen.counted.push(`${by} ${labels.join()}`))
    },
    nowMs: () => seen.nowMs,
    nextTurn: unused,
    longMessages: new LongMessages(unused),
    forget: () => {},
    logFault: unused,
    logClosed: ({ code, reason }) => void seen.closed.push([code, reason])
  }
  const socket = {
    sendTexts: () => {},
    bufferedAmount: () => 0,
    ping: () => void (seen.pings += 1),
    close: () => {},
    terminate: () => {
      seen.isCut = true
    }
  }
  const resolved = resolveProject(project, { ...defaultLimits, pingIntervalMs })
  const connection = new Connection(host, socket, { apiKeyId: "key", apiKeyExpiresAtMs: null, project: resolved }, "authorized")
  /** Moves the clock, then ticks. */
  const tickAfter = (ms: number): void => {
    seen.nowMs += ms
    connection.tick()
  }
  const tickUntil = (atMs: number): void => {
    while (seen.nowMs < atMs) tickAfter(tickMs)
  }
  tickUntil(pingIntervalMs)
  expect(seen.pings).toBe(1)
  return { connection, seen, tickAfter, tickUntil }
}

test("a pong that is read right after a stall of the service, behind the tick that came late, is in time", async () => {
  const { connection, seen, tickAfter, tickUntil } = await connect()
  tickAfter(1_500)
  connection.pong()
  tickAfter(tickMs)
  expect(seen).toMatchObject({ pings: 2, isCut: false })
  connection.pong()
  tickUntil(10_000)
  expect(seen).toMatchObject({ pings: 3, isCut: true })
})

test("a client that answers nothing is cut by the next tick after a stall, also if that one is late, too", async () => {
  const { seen, tickAfter } = await connect()
  tickAfter(1_500)
  expect(seen.isCut).toBe(false)
  tickAfter(1_500)
  expect(seen).toMatchObject({ pings: 1, isCut: true })
})

test("without a stall, a client that answers nothing is cut an interval after its ping, and the log and the metric say why", async () => {
  const { seen, tickUntil } = await connect()
  tickUntil(2 * pingIntervalMs - tickMs)
  expect(seen).toMatchObject({ isCut: false, closed: [], counted: [] })
  tickUntil(2 * pingIntervalMs)
  expect(seen).toMatchObject({ isCut: true, closed: [[undefined, "a ping was not answered"]], counted: ["1 no_pong"] })
})
