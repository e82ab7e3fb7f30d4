/** What is told of a phase's calls: in order, bounded, in visible characters, and with times that never go back. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { hostCallsOf } from "./hostCalls.ts"
import { failedFetch } from "./promiseJson.ts"
import type { AnsweredCall, Tape } from "./tape.ts"

const fetchOf = (url: string, atMs: number, answer: Partial<(AnsweredCall & { readonly kind: "fetch" })["answer"]> = {}): AnsweredCall => ({
  kind: "fetch",
  action: new TextEncoder().encode(JSON.stringify({ url, options: { method: "Get" } })),
  atMs,
  answer: { fulfilled: true, status: 200, headers: [], bytes: Uint8Array.of(1, 2, 3), url, contentLength: 3, ...answer }
})
const tapeOf = (entries: Tape["entries"]): Tape => ({ startTimeMs: 1_000, seed: new Uint8Array(32), entries })

test("each kind of call is told with what is known of its answer", () => {
  const price = { known: true, gas: 1n, publicKey: "02", feeCredits: 1n } as const
  const { action } = fetchOf("https://proxied.example/p", 0)
  const told = hostCallsOf(
    tapeOf([
      fetchOf("https://a.example/x?q=1", 1_000),
      fetchOf("https://b.example", 1_250, failedFetch("HTTP fetch time limit exceeded (250ms)")),
      { kind: "proxyPrice", action, atMs: 1_260, answer: price },
      { kind: "proxyFetch", action, atMs: 1_300, answer: { ...failedFetch("no"), status: 502, bytes: Uint8Array.of(9) } },
      {
        kind: "storage",
        operation: "write",
        action: new Uint8Array(),
        atMs: 1_300,
        answer: { fulfilled: true, bytes: Uint8Array.of(1, 2) }
      },
      { kind: "deadline", limitMs: 300, gasCharged: 0n, workerMs: 1 }
    ])
  )
  expect(told).toEqual([
    { kind: "fetch", request: "GET https://a.example/x?q=1", status: 200, bytes: 3, answeredAfterMs: 0 },
    { kind: "fetch", request: "GET https://b.example", bytes: 0, answeredAfterMs: 250 },
    { kind: "proxyPrice", request: "GET https://proxied.example/p", bytes: 0, answeredAfterMs: 260 },
    { kind: "proxyFetch", request: "GET https://proxied.example/p", status: 502, bytes: 1, answeredAfterMs: 300 },
    { kind: "storage", request: "write", bytes: 2, answeredAfterMs: 300 }
  ])
})

test("whatever addresses a program asks for, at most 32 calls are told, each in few visible characters", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string({ unit: "binary", maxLength: 400 }), fc.nat(100)), { maxLength: 50 }), (calls) => {
      let atMs = 1_000
      const entries = calls.map(([url, spentMs]) => fetchOf(url, (atMs += spentMs)))
      const told = hostCallsOf(tapeOf(entries))
      expect(told.length).toBe(Math.min(32, calls.length))
      for (const [at, { answeredAfterMs, request }] of told.entries()) {
        expect(request).toMatch(/^GET [ -~]{0,252}$/)
        expect(answeredAfterMs).toBe((entries[at]?.atMs ?? 0) - 1_000)
      }
    })
  )
})
