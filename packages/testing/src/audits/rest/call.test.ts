/** What the kit reads of an answer. */
import { expect, it } from "vitest"
import { send } from "./call.ts"
import type { Target } from "./target.ts"

/** A target that answers each request with this body. */
const answering = (body: BodyInit): Target =>
  ({ baseUrl: "http://service", apiKey: "key", fetch: () => Promise.resolve(new Response(body)) }) as unknown as Target

it("reads a text that was cut anywhere", async () => {
  const bytes = new TextEncoder().encode('{"a":"\u00e9\u{1f600}"}')
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
      controller.close()
    }
  })
  expect((await send(answering(body), { path: "/info" })).json).toEqual({ a: "\u00e9\u{1f600}" })
})

it("gives a body up that has no end", async () => {
  let sent = 0
  let isCancelled = false
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      sent += 1
      controller.enqueue(new Uint8Array(1_048_576))
    },
    cancel: () => {
      isCancelled = true
    }
  })
  await expect(send(answering(body), { path: "/info" })).rejects.toThrow(/has more than 67108864 bytes, or no end/)
  expect(isCancelled).toBe(true)
  expect(sent).toBeLessThan(70)
})

it("names the request that had no answer", async () => {
  const stalled = new DOMException("The operation was aborted due to timeout", "TimeoutError")
  const target = { baseUrl: "http://service", apiKey: "key", fetch: () => Promise.reject(stalled) } as unknown as Target
  await expect(send(target, { path: "/info", key: null })).rejects.toThrow("GET /info had no answer within 90000 ms")
})
