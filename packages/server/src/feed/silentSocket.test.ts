/** A connection is given up when nothing comes over it and a ping is not answered, and not while anything does. */
import { EventEmitter } from "node:events"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { lookMs, type WatchedSocket, watchSilence } from "./silentSocket.ts"

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }))
afterEach(() => void vi.useRealTimers())

/** A socket that answers as many pings as are given. */
const socketOf = (answers: number) => {
  const seen = { pings: 0, silences: 0 }
  const socket: WatchedSocket & EventEmitter = Object.assign(new EventEmitter(), {
    ping: () => {
      seen.pings += 1
      if (seen.pings <= answers) socket.emit("pong")
    }
  })
  const end = watchSilence(socket, () => (seen.silences += 1))
  return { seen, socket, end }
}

test("nothing comes: the server is asked once, and then nobody is there", () => {
  const { seen } = socketOf(0)
  vi.advanceTimersByTime(2 * lookMs)
  expect(seen).toEqual({ pings: 1, silences: 0 })
  vi.advanceTimersByTime(lookMs)
  expect(seen).toEqual({ pings: 1, silences: 1 })
  vi.advanceTimersByTime(100 * lookMs)
  expect(seen).toEqual({ pings: 1, silences: 1 })
})

test("a server that answers pings is there, until it does not any more", () => {
  const { seen } = socketOf(5)
  vi.advanceTimersByTime(12 * lookMs)
  expect(seen).toEqual({ pings: 6, silences: 0 })
  vi.advanceTimersByTime(lookMs)
  expect(seen).toEqual({ pings: 6, silences: 1 })
})

test.each(["message", "ping"] as const)("a server of which a %s comes is not asked", (event) => {
  const { seen, socket } = socketOf(0)
  for (let looks = 0; looks < 50; looks += 1) {
    socket.emit(event)
    vi.advanceTimersByTime(lookMs)
  }
  expect(seen).toEqual({ pings: 0, silences: 0 })
})

test("a watch that has ended asks nothing", () => {
  const { end, seen } = socketOf(0)
  end()
  vi.advanceTimersByTime(100 * lookMs)
  expect(seen).toEqual({ pings: 0, silences: 0 })
})
