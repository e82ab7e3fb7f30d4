/** An adapter's socket that throws ends its connection, whatever called it, and is logged once. */
import { Cause } from "effect"
import { describe, expect, test } from "vitest"
import { resolveProject } from "../../domain/accounts/project.ts"
import { defaultLimits } from "../../domain/settings/limits.ts"
import { silent } from "../../ports/metrics/metrics.ts"
import { openTestService } from "../../testdata/testService.ts"
import type { Socket } from "../transport/seam.ts"
import { Connection } from "./connection.ts"
import { LongMessages } from "./longMessages.ts"
import { guardedSocket } from "./guardedSocket.ts"

const thrown = new Error("the runtime's socket is gone")

/** A socket of which one method throws, and a list of the calls. */
const throwing = (method: keyof Socket) => {
  const calls: Array<string> = []
  const call = (name: keyof Socket) => (): void => {
    calls.push(name)
    if (name === method) throw thrown
  }
  const socket: Socket = {
    sendTexts: call("sendTexts"),
    sendShared: call("sendShared"),
    bufferedAmount: () => {
      call("bufferedAmount")()
      return 7
    },
    ping: call("ping"),
    close: call("close"),
    terminate: call("terminate")
  }
  return { calls, socket }
}

describe("guardedSocket", () => {
  test.each(["sendTexts", "sendShared", "bufferedAmount", "ping", "close", "terminate"] as const)("tells what %s threw", (method) => {
    const { calls, socket } = throwing(method)
    const broken: Array<unknown> = []
    const guarded = guardedSocket(socket, (error) => broken.push(error))
    guarded.sendTexts(["a"])
    guarded.sendShared?.({ text: "a", bytes: Uint8Array.of(97) })
    expect(guarded.bufferedAmount()).toBe(method === "bufferedAmount" ? 0 : 7)
    guarded.ping()
    guarded.close(1000, "")
    guarded.terminate()
    expect(calls).toEqual(["sendTexts", "sendShared", "bufferedAmount", "ping", "close", "terminate"])
    expect(broken).toEqual([thrown])
  })

  test("has no way to send what is shared where the socket has none, and calls methods on their socket", () => {
    class Own implements Socket {
      readonly #sent: Array<string> = []
      sendTexts = (texts: ReadonlyArray<string>): void => void this.#sent.push(...texts)
      bufferedAmount(): number {
        return this.#sent.length
      }
      ping(): void {}
      close(): void {}
      terminate(): void {}
    }
    const guarded = guardedSocket(new Own(), () => expect.fail("nothing throws"))
    expect(guarded.sendShared).toBeUndefined()
    guarded.sendTexts(["a", "b"])
    expect(guarded.bufferedAmount()).toBe(2)
  })
})

/** A connection over such a socket, on a clock that the test moves. */
const connect = async (method: keyof Socket) => {
  const { project, service } = await openTestService()
  await service.dispose()
  const seen = { nowMs: 0, forgotten: 0, faults: new Array<unknown>() }
  const unused = (): never => expect.fail("a connection without requests does not need this")
  const { calls, socket } = throwing(method)
  const resolved = resolveProject(project, { ...defaultLimits, pingIntervalMs: 1_000 })
  const connection = new Connection(
    {
      fork: unused,
      feeds: { own: { start: unused }, shared: { join: unused, count: () => 0 } },
      metrics: silent,
      nowMs: () => seen.nowMs,
      nextTurn: unused,
      longMessages: new LongMessages(unused),
      forget: () => void (seen.forgotten += 1),
      logFault: (_, cause) => void seen.faults.push(Cause.squash(cause)),
      logClosed: () => {}
    },
    socket,
    { apiKeyId: "key", apiKeyExpiresAtMs: null, project: resolved },
    "authorized"
  )
  return { calls, connection, seen }
}

describe("a connection", () => {
  test.each(["sendTexts", "bufferedAmount", "ping", "close", "terminate"] as const)("ends when %s throws", async (method) => {
    const { calls, connection, seen } = await connect(method)
    // The end of the turn in which `authorized` is sent.
    await Promise.resolve()
    for (; seen.nowMs <= 1_000; seen.nowMs += 250) connection.tick()
    // A binary message is refused with a close frame, to which the client does not answer.
    connection.message(Uint8Array.of(1))
    for (; seen.nowMs <= 4_000; seen.nowMs += 250) connection.tick()
    expect(seen.forgotten).toBe(1)
    // Of a connection that was over when it was cut, there is nothing to tell.
    expect(seen.faults).toEqual(method === "terminate" ? [] : [thrown])
    expect(calls.filter((call) => call === "terminate")).toEqual(["terminate"])
    expect(calls.at(-1)).toBe("terminate")
  })
})
