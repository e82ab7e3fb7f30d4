/** Proxied requests through the driver: what is sent, what is recorded, and that a replay makes no request. */
import { secp256k1 } from "@noble/curves/secp256k1.js"
import {
  DataProxies,
  defaultLimits,
  HttpFetch,
  type Limits,
  Network,
  type OutboundRequest,
  type OutboundResponse,
  Signer
} from "@sibyl/core"
import {
  fastProofDigest,
  fastProofHeaderName,
  fromUtf8,
  proxyAnswerDigest,
  proxyHeaderNames,
  readFastProof,
  recoverSigner,
  toHex
} from "@sibyl/core/internal"
import { Effect, Layer, Redacted, TestClock, TestContext } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { WorkerPool } from "../pool/workerPool.ts"
import { threadWorkers } from "../workers/openWorker.ts"
import { workerFile } from "../workers/workerFile.ts"
import { proxyUsesOf } from "../tape/proxyUses.ts"
import type { Tape, TapeEntry } from "../tape/tape.ts"
import { callingProxies } from "../testdata/calling.ts"
import { requestFor } from "../testdata/runtimeOverHttp.ts"
import { emptyTape, moduleNamed } from "../testdata/vectors.ts"
import { answerCall, type PhaseSoFar } from "./answerCall.ts"
import { drivePhase } from "./drivePhase.ts"
import { ProxyAccess } from "./proxyAccess.ts"
import { untouched } from "./runStorage.ts"

const secret = new Uint8Array(32).fill(9)
const publicKey = toHex(secp256k1.getPublicKey(secret, true))
const chainId = "sibyl-1-test"
const signer = Signer.layerFromSecret(Redacted.make(new Uint8Array(32).fill(1)))
const access = (feeCredits: bigint) =>
  ProxyAccess.layerRegistered.pipe(
    Layer.provide(Network.layer({ name: "test", chainId })),
    Layer.provide(Layer.merge(DataProxies.layerMemory([{ publicKey, name: "P", feeCredits, active: true }]), signer))
  )

/** An upstream that is a data proxy, with a record of its requests. */
const proxied = (status = 200) => {
  const asked: Array<OutboundRequest> = []
  const fetch = (request: OutboundRequest): Effect.Effect<OutboundResponse> => {
    asked.push(request)
    const { body: requestBody, method, url } = request
    const bytes = fromUtf8(method === "OPTIONS" ? "" : "signed")
    const digest = proxyAnswerDigest({ url, method, requestBody, responseBody: bytes })
    const headers: OutboundRequest["headers"] = [
      [proxyHeaderNames.publicKey, publicKey],
      [proxyHeaderNames.signature, toHex(secp256k1.sign(digest, secret, { prehash: false }))]
    ]
    return Effect.succeed({ kind: "answered", status, headers, bytes, url, contentLength: bytes.length })
  }
  return { asked, layer: Layer.succeed(HttpFetch, { fetch }) }
}

const nobody = Layer.succeed(HttpFetch, { fetch: ({ url }) => Effect.die(new Error(`${url} was asked`)) })

const pool = new WorkerPool({ workers: 1, queueBound: 10, cachedPrograms: 4, openWorker: threadWorkers(workerFile() ?? "") })
afterAll(() => pool.close())

/** The program of the golden cases; with an argument it makes its request through a proxy. */
const request = requestFor(moduleNamed("host_http"), { args: ["00"] })

describe("a phase that calls a data proxy", () => {
  it("records price and answer, and can be replayed from its tape without a network", async () => {
    const upstream = proxied()
    const first = await Effect.runPromise(
      callingProxies((caller) => drivePhase({ pool, caller }, request, emptyTape)).pipe(
        Effect.provide(Layer.merge(upstream.layer, access(3n)))
      )
    )
    expect(first.tape.entries.map(({ kind }) => kind)).toEqual(["proxyPrice", "proxyFetch"])
    expect(proxyUsesOf(first.tape)).toEqual([{ publicKey, feeCredits: 3n, calls: 1 }])
    expect(upstream.asked.map(({ method }) => method)).toEqual(["OPTIONS", "GET"])
    const again = await Effect.runPromise(
      callingProxies((caller) => drivePhase({ pool, caller }, request, first.tape)).pipe(
        Effect.provide(Layer.merge(nobody, ProxyAccess.layerNone))
      )
    )
    expect(again).toEqual(first)
    expect(again.ending.gasUsed > 0n).toBe(true)
  })

  it("sends a proof that is not recorded", async () => {
    const upstream = proxied()
    const { tape } = await Effect.runPromise(
      callingProxies((caller) => drivePhase({ pool, caller }, request, emptyTape)).pipe(
        Effect.provide(Layer.merge(upstream.layer, access(3n)))
      )
    )
    const sent = new Map(upstream.asked[1]?.headers).get(fastProofHeaderName) ?? ""
    const proof = readFastProof(sent)
    expect(proof?.chainId).toBe(chainId)
    const digest = fastProofDigest(proof ?? { timestampMs: 0, chainId: undefined })
    expect(recoverSigner(digest, proof?.signature ?? new Uint8Array())).toBe(
      toHex(secp256k1.getPublicKey(new Uint8Array(32).fill(1), true))
    )
    const texts = tape.entries.map((entry) =>
      JSON.stringify(entry, (_, value: unknown) =>
        value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : typeof value === "bigint" ? `${value}` : value
      )
    )
    expect(texts.join()).toContain("signed")
    expect(texts.some((text) => text.includes(sent) || text.includes(toHex(proof?.signature ?? secret)))).toBe(false)
  })
})

const action = fromUtf8("{}")
const asked = {
  url: "https://p.test/",
  method: "GET",
  headers: [],
  body: new Uint8Array(),
  timeoutMs: undefined,
  publicKey: undefined
}
const priced = (feeCredits: bigint): TapeEntry => ({
  kind: "proxyPrice",
  action,
  atMs: 0,
  answer: { known: true, gas: 0n, publicKey, feeCredits }
})
const fetched = (status: number): TapeEntry => ({
  kind: "proxyFetch",
  action,
  atMs: 0,
  answer: { fulfilled: status > 0, status, headers: [], bytes: new Uint8Array(), url: "", contentLength: 0 }
})
const tapeOf = (...entries: ReadonlyArray<TapeEntry>): Tape => ({ ...emptyTape, entries })

const soFar = (budgetMs: number, tape: Tape, limits: Limits = defaultLimits): PhaseSoFar => ({
  tape,
  storage: untouched,
  room: { projectId: "project", limits, budgetMs, leftBytes: limits.hostCallBytes }
})

describe("the fees on a tape", () => {
  it("are those of answers of 200 to 299, by proxy and by the fee at the time", () => {
    const tape = tapeOf(
      priced(2n),
      fetched(200),
      priced(2n),
      fetched(404),
      priced(2n),
      fetched(0),
      priced(5n),
      fetched(299),
      priced(2n),
      fetched(204),
      priced(9n),
      { kind: "deadline", limitMs: 1, gasCharged: 0n, workerMs: 1 }
    )
    expect(proxyUsesOf(tape)).toEqual([
      { publicKey, feeCredits: 2n, calls: 2 },
      { publicKey, feeCredits: 5n, calls: 1 }
    ])
  })

  const priceAfter = (limits: Limits, ...entries: ReadonlyArray<TapeEntry>) =>
    Effect.runPromise(
      answerCall({ kind: "proxyPrice", action, request: asked }, soFar(1_000, tapeOf(...entries), limits)).pipe(
        Effect.map(({ call }) => call),
        Effect.provide(Layer.merge(proxied().layer, access(4n)))
      )
    )

  it("are subtracted from the budget: the last credit may be spent, but no more", async () => {
    const limits = { ...defaultLimits, proxyBudgetCredits: 10n }
    expect(await priceAfter(limits, priced(6n), fetched(200))).toMatchObject({ answer: { known: true, feeCredits: 4n } })
    expect(await priceAfter(limits, priced(7n), fetched(200))).toMatchObject({
      answer: { known: false, message: "the fee is 4 credits, the run's budget for data proxies has 3 left" }
    })
    expect(await priceAfter(limits, priced(7n), fetched(500))).toMatchObject({ answer: { known: true } })
  })
})

describe("a second attempt", () => {
  const fetching = (status: number, budgetMs: number) => {
    const upstream = proxied(status)
    const call = answerCall({ kind: "proxyFetch", action, request: asked }, soFar(budgetMs, tapeOf(priced(1n))))
    const run = Effect.gen(function* () {
      const fiber = yield* Effect.fork(call)
      yield* TestClock.adjust(999)
      const early = upstream.asked.length
      yield* TestClock.adjust(1)
      yield* fiber.await
      return [early, upstream.asked.length]
    })
    return Effect.runPromise(run.pipe(Effect.provide(Layer.mergeAll(upstream.layer, access(1n), TestContext.TestContext))))
  }

  it("is made a second after the first, if that had no successful answer", async () => {
    expect(await fetching(503, 10_000)).toEqual([1, 2])
    expect(await fetching(200, 10_000)).toEqual([1, 1])
  })

  it("is not made if the run's time for requests ends before", async () => {
    expect(await fetching(503, 1_000)).toEqual([1, 1])
    expect(await fetching(503, 1_001)).toEqual([1, 2])
  })
})
