/** Both phases in one order, data proxies, and messages in parts: over a real NATS server as in this process. */
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { defaultLimits, type FollowingTally, type OutboundRequest, type OutboundResponse, type PhaseRequest, Signer } from "@sibyl/core"
import {
  fastProofDigest,
  fastProofHeaderName,
  proxyAnswerDigest,
  proxyHeaderNames,
  readFastProof,
  recoverSigner,
  toHex
} from "@sibyl/core/internal"
import { callingProgram } from "@sibyl/testing/wasm"
import { Effect, Redacted } from "effect"
import { expect, it } from "vitest"
import { echo, fetching, openExecutor, ready, requestFor, run } from "./testdata/inProcess.ts"
import { describeNats, startNats } from "./testdata/natsServer.ts"
import { chainId, openEdge, openLocal } from "./testdata/remoteEdge.ts"
import { timeless } from "./testdata/timeless.ts"

const tallyOf = (exec: PhaseRequest, tallyProgram: Uint8Array, filter = Uint8Array.of(0)): FollowingTally => ({
  program: tallyProgram,
  blockHeight: 7n,
  request: {
    version: "0.0.1",
    execProgramId: exec.programId,
    execInputs: new Uint8Array(),
    execGasLimit: exec.gasLimit,
    tallyProgramId: requestFor(tallyProgram).programId,
    tallyInputs: Uint8Array.of(1, 2),
    tallyGasLimit: 150_000_000_000_000n,
    replicationFactor: 1,
    consensusFilter: filter,
    gasPrice: 0n,
    memo: new Uint8Array()
  }
})

const quiet = { ...defaultLimits, httpPrefetches: 0 }

describeNats("runs on an executor", () => {
  it("have both phases in one order, as in this process, and no signature", () =>
    run(
      Effect.gen(function* () {
        const { url } = yield* startNats()
        yield* openExecutor(url)
        const [edge, local] = [yield* openEdge(url), yield* openLocal(echo)]
        yield* ready(edge)
        const exec = requestFor(fetching(3), { limits: quiet })
        // A good tally; one whose filter is no filter; and an execution that fails.
        const cases = [
          [exec, tallyOf(exec, callingProgram([]))],
          [exec, tallyOf(exec, callingProgram([]), Uint8Array.of(9))],
          [{ ...exec, gasLimit: 6_000_000_000_000n }, tallyOf(exec, callingProgram([]))]
        ] as const
        for (const [request, tally] of cases) {
          const asked = { ...tally, sign: { version: "0.0.1" } }
          const remote = yield* edge.runBoth?.(request, asked) ?? Effect.die("no runBoth")
          const here = yield* local.runBoth?.(request, tally) ?? Effect.die("no runBoth")
          expect({ ...remote, exec: timeless(remote.exec) }).toEqual({ ...here, exec: timeless(here.exec) })
          expect(remote.signed).toBeUndefined()
        }
      })
    ))

  it("call data proxies with proofs of the edge's signer", () =>
    run(
      Effect.gen(function* () {
        const { url } = yield* startNats()
        const secret = new Uint8Array(32).fill(9)
        const publicKey = toHex(secp256k1.getPublicKey(secret, true))
        const asked: Array<OutboundRequest> = []
        const proxied = (request: OutboundRequest): Effect.Effect<OutboundResponse> => {
          asked.push(request)
          const bytes = new TextEncoder().encode(request.method === "OPTIONS" ? "" : "signed")
          const { body: requestBody, method } = request
          const digest = proxyAnswerDigest({ url: request.url, method, requestBody, responseBody: bytes })
          const signature = toHex(secp256k1.sign(digest, secret, { prehash: false }))
          const headers = [
            [proxyHeaderNames.publicKey, publicKey],
            [proxyHeaderNames.signature, signature]
          ] as const
          return Effect.succeed({ kind: "answered", status: 200, headers, bytes, url: request.url, contentLength: bytes.length })
        }
        yield* openExecutor(url, {}, proxied)
        const edge = yield* openEdge(url, {}, [{ publicKey, name: "P", feeCredits: 3n, active: true }])
        yield* ready(edge)
        const outcome = yield* edge.run(requestFor(callingProgram([{ kind: "proxied", url: "https://u.test/x" }]), { limits: quiet }))
        expect([outcome.exitCode, outcome.proxies]).toEqual([0, [{ publicKey, feeCredits: 3n, calls: 1 }]])
        const header = asked.flatMap(({ headers }) => headers).find(([name]) => name === fastProofHeaderName)?.[1] ?? ""
        const { signature, timestampMs } = readFastProof(header) ?? { signature: new Uint8Array(65), timestampMs: 0 }
        const signer = Signer.layerFromSecret(Redacted.make(new Uint8Array(32).fill(1)))
        const own = yield* Effect.map(Effect.provide(Signer, signer), (one) => one.publicKey)
        expect(recoverSigner(fastProofDigest({ timestampMs, chainId }), signature)).toBe(own)
      })
    ))

  it("may have programs, tapes and inputs larger than a message", () =>
    run(
      Effect.gen(function* () {
        const { url } = yield* startNats({ maxPayloadBytes: 16_384 })
        const large = (request: OutboundRequest) =>
          Effect.map(echo(request), (response): OutboundResponse =>
            response.kind === "answered"
              ? { ...response, bytes: new Uint8Array(request.url.endsWith("large") ? 40_000 : 5_000).fill(65) }
              : response
          )
        yield* openExecutor(url, {}, large)
        const [edge, local] = [yield* openEdge(url), yield* openLocal(large)]
        yield* ready(edge)
        const keys = Array.from({ length: 40 }, (_, at) => at.toString(16).padStart(4, "0"))
        const program = callingProgram([
          ...keys.map((key) => ({ kind: "write" as const, key, value: "ab".repeat(500) })),
          { kind: "fetch" as const, url: "https://u.test/large" },
          { kind: "fetch" as const, url: "https://u.test/" }
        ])
        const storage = { read: () => Effect.succeed({ values: new Map(), keyCount: 0 }) }
        const request = requestFor(program, { args: ["6b".repeat(20_000)], storage, limits: quiet, gasLimit: 10n ** 18n })
        expect(program.length).toBeGreaterThan(16_384)
        const outcome = yield* edge.run(request)
        expect([outcome.exitCode, outcome.reason, outcome.result.length > 16_384]).toEqual([0, undefined, true])
        expect(timeless(outcome)).toEqual(timeless(yield* local.run(request)))
      })
    ))
})
