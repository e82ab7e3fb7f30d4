/** One Idempotency-Key: one run, one charge, one answer, across retries, disconnects and crashes (decision D34). */
import { Context, Deferred, Effect, Layer, Redacted } from "effect"
import { describe, expect, it } from "vitest"
import { Idempotency } from "../../ports/idempotency.ts"
import { Ledger } from "../../ports/ledger.ts"
import { outcome, type Script } from "../../testdata/scriptedRuntime.ts"
import { type OpenTestService, openTestService, seamRequest, type TestServicePorts } from "../../testdata/testService.ts"
import type { Service, ServiceResponse } from "../transport/seam.ts"

type Answer = Pick<ServiceResponse, "status" | "headers"> & { readonly body: string }

interface Ask {
  readonly key?: string
  readonly body?: Readonly<Record<string, unknown>>
  readonly query?: string
  readonly apiKey?: string
  readonly signal?: AbortSignal
}

const post = async (testService: OpenTestService, ask: Ask = {}, service: Service = testService.service): Promise<Answer> => {
  const { apiKey = testService.key, body, key = "the-key", query = "", signal } = ask
  const response = await service.fetch(
    seamRequest("POST", `/execute?execProgramId=${testService.execProgramId}&${query}`, {
      headers: { authorization: `Bearer ${apiKey}`, "idempotency-key": key },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal })
    })
  )
  if (response === undefined) throw new Error("no answer")
  return { ...response, body: String(response.body) }
}

const replayed = ({ headers }: Answer): boolean => headers["idempotency-replayed"] === "true"

const credits = async ({ key, service }: OpenTestService): Promise<unknown> => {
  const response = await service.fetch(seamRequest("GET", "/project", { headers: { authorization: `Bearer ${key}` } }))
  return (JSON.parse(String(response?.body)) as { readonly credits: unknown }).credits
}

/** The key of another project with credits. */
const otherTenantKey = ({ keys, provisioning }: OpenTestService) =>
  Effect.gen(function* () {
    const { projectId } = yield* provisioning.createProject({ organizationSlug: "other" })
    yield* provisioning.grant(projectId, 1_000_000n)
    return Redacted.value((yield* keys.issue(projectId)).key)
  })

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1))
}

/** A script that waits for its gate, the first `count` times. */
const gated = (times: number) => {
  const gate = Effect.runSync(Deferred.make<void>())
  let met = 0
  const script: Script = () => {
    met += 1
    return met <= times ? Effect.as(Deferred.await(gate), outcome()) : Effect.succeed(outcome())
  }
  return { script, go: () => Effect.runPromise(Deferred.succeed(gate, undefined)) }
}

type Keys = Context.Tag.Service<Idempotency>

/** Stores of a process that crashes: its claims last 50 ms, it renews none, and `dead` replaces operations that it never completes. */
const crashingStores = (dead: Partial<Keys>) => (stores: TestServicePorts) => {
  const keys = Context.get(stores, Idempotency)
  const short: Keys = {
    ...keys,
    claim: (input) => keys.claim({ ...input, leaseMs: 50 }),
    renew: () => Effect.succeed(true)
  }
  return Layer.succeedContext(Context.add(stores, Idempotency, { ...short, ...dead }))
}

describe("the first answer", () => {
  it("is replayed to the same request in any notation, and is charged once", async () => {
    const testService = await openTestService({ script: () => Effect.succeed(outcome({ result: Uint8Array.of(1) })) })
    const first = await post(testService, { query: "includeSummary&encoding=hex", body: { execInputs: "0x0a" } })
    const before = await credits(testService)
    const again = await post(testService, { body: { execInputs: "Cg==", inputEncoding: "base64", includeSummary: true } })
    expect(first.status).toBe(200)
    expect([first, again].map(replayed)).toEqual([false, true])
    expect({ status: again.status, body: again.body }).toEqual({ status: 200, body: first.body })
    expect(again.headers["x-request-id"]).not.toBe(first.headers["x-request-id"])
    expect(await credits(testService)).toEqual(before)
    expect(testService.ledgerCalls).toEqual(["hold", "settle"])
    await testService.service.dispose()
  })

  it("is kept by the charge alone; one for which nothing was charged, by itself", async () => {
    const testService = await openTestService()
    const kept: Array<string> = []
    const watched = await testService.openAnother((stores) => {
      const keys = Context.get(stores, Idempotency)
      const keep: Keys["keep"] = (claim, answer) =>
        Effect.zipRight(
          Effect.sync(() => kept.push(answer.body)),
          keys.keep(claim, answer)
        )
      return Layer.succeedContext(Context.add(stores, Idempotency, { ...keys, keep }))
    })
    for (const query of ["includeSummary", "includeDebugInfo", "includeSummary&encoding=base64"]) {
      const [first, again] = [
        await post(testService, { key: query, query }, watched),
        await post(testService, { key: query, query }, watched)
      ]
      expect([replayed(first), replayed(again), again.body]).toEqual([false, true, first.body])
    }
    expect(kept).toEqual([])
    const stored = await post(testService, { key: "stored", query: "returnLastResult" }, watched)
    expect(kept).toEqual([stored.body])
    expect(testService.ledgerCalls).toEqual(["hold", "settle", "hold", "settle", "hold", "settle"])
    await Promise.all([testService.service.dispose(), watched.dispose()])
  })

  it("is replayed if it was a failure", async () => {
    const testService = await openTestService({ script: () => Effect.succeed(outcome({ exitCode: 3 })) })
    const [first, again] = [await post(testService), await post(testService)]
    expect([first.status, again.status, again.body === first.body, replayed(again)]).toEqual([599, 599, true, true])
    expect(testService.ledgerCalls).toEqual(["hold", "settle"])
    await testService.service.dispose()
  })

  it("is not replayed to another request, nor to another project", async () => {
    const testService = await openTestService()
    await post(testService, { query: "execInputs=a" })
    for (const query of [
      "execInputs=b",
      "execInputs=a&includeDebugInfo",
      "execInputs=a&encoding=utf8",
      "execInputs=a&tallyInputs=a",
      "execInputs=a&returnLastResult",
      "execInputs=a&injectLastResult=last",
      "execInputs=a&noPrefetch",
      "execInputs=a&includeRecording"
    ]) {
      const other = await post(testService, { query })
      expect([other.status, replayed(other)], query).toEqual([422, false])
      expect(JSON.parse(other.body)).toMatchObject({ _tag: "IdempotencyKeyReused" })
    }
    expect(testService.ledgerCalls).toEqual(["hold", "settle"])
    const apiKey = await Effect.runPromise(otherTenantKey(testService))
    const neighbours = [await post(testService, { apiKey, query: "execInputs=b" }), await post(testService, { query: "execInputs=a" })]
    expect(neighbours.map(({ status }) => status)).toEqual([200, 200])
    expect(neighbours.map(replayed)).toEqual([false, true])
    await testService.service.dispose()
  })

  it("is not a refusal: the key stays free for the next attempt and for another request", async () => {
    const testService = await openTestService({ credits: 0n })
    const refused = [await post(testService), await post(testService), await post(testService, { query: "execInputs=b" })]
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403])
    await Effect.runPromise(testService.provisioning.grant(testService.project.projectId, 1_000_000n))
    const first = await post(testService)
    expect([first.status, replayed(first), replayed(await post(testService))]).toEqual([200, false, true])
    await testService.service.dispose()
  })

  it("is not an internal error: the next attempt runs", async () => {
    let runs = 0
    const testService = await openTestService({
      script: () => ((runs += 1) === 1 ? Effect.die("broken") : Effect.succeed(outcome()))
    })
    expect((await post(testService)).status).toBe(500)
    const [first, again] = [await post(testService), await post(testService)]
    expect([first.status, again.body === first.body, replayed(again)]).toEqual([200, true, true])
    expect(testService.ledgerCalls).toEqual(["hold", "void", "hold", "settle"])
    await testService.service.dispose()
  })
})

describe("a key", () => {
  it("is 1 to 255 visible ASCII characters", async () => {
    const testService = await openTestService()
    for (const key of ["", " ", "é", "a\tb", "a b", "x".repeat(256), "\u007f"]) {
      const refused = await post(testService, { key })
      expect(refused.status, key).toBe(400)
      expect(JSON.parse(refused.body)).toMatchObject({ details: { parameter: "Idempotency-Key" } })
    }
    for (const key of ["~", "x".repeat(255), "!\"',;{}"]) expect((await post(testService, { key })).status, key).toBe(200)
    await testService.service.dispose()
  })

  it("is ignored by a GET and by a dry run", async () => {
    const testService = await openTestService()
    const get = () =>
      testService.service.fetch(
        seamRequest("GET", `/execute?execProgramId=${testService.execProgramId}`, {
          headers: { authorization: `Bearer ${testService.key}`, "idempotency-key": "the-key" }
        })
      )
    expect([(await get())?.status, (await get())?.status, testService.ledgerCalls.length]).toEqual([200, 200, 4])
    expect((await post(testService, { query: "dryRun" })).status).toBe(200)
    expect((await post(testService, { query: "execInputs=other&dryRun" })).status).toBe(200)
    expect(replayed(await post(testService))).toBe(false)
    await testService.service.dispose()
  })
})

describe("at once", () => {
  it("100 requests through two services on one store are one run, one charge and 100 equal bodies", async () => {
    const { go, script } = gated(1)
    const testService = await openTestService({ script })
    const other = await testService.openAnother()
    const asked = Array.from({ length: 100 }, (_, at) => post(testService, {}, at % 2 === 0 ? testService.service : other))
    await until(() => testService.requests.length > 0)
    await go()
    const answers = await Promise.all(asked)
    expect(new Set(answers.map(({ body, status }) => `${status} ${body}`)).size).toBe(1)
    expect(answers.filter(replayed).length).toBe(99)
    expect(testService.ledgerCalls).toEqual(["hold", "settle"])
    expect(testService.requests.length).toBe(2)
    await Promise.all([testService.service.dispose(), other.dispose()])
  })

  it("after a refusal, the next waiting request runs", async () => {
    const testService = await openTestService({ credits: 0n })
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(testService)))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 403))
    expect(testService.ledgerCalls).toEqual(answers.map(() => "refused"))
    await testService.service.dispose()
  })
})

describe("a client that disconnects", () => {
  it("gets the answer when it retries", async () => {
    const { go, script } = gated(1)
    const testService = await openTestService({ script })
    const client = new AbortController()
    const lost = post(testService, { signal: client.signal })
    await until(() => testService.requests.length > 0)
    client.abort()
    expect((await lost).status).toBe(503)
    const retry = post(testService)
    await go()
    expect([(await retry).status, replayed(await retry)]).toEqual([200, true])
    expect(testService.ledgerCalls).toEqual(["hold", "settle"])
    await testService.service.dispose()
  })

  it("gets it from the next service if this one was closed meanwhile", async () => {
    const { go, script } = gated(1)
    const testService = await openTestService({ script })
    const client = new AbortController()
    const lost = post(testService, { signal: client.signal })
    await until(() => testService.requests.length > 0)
    client.abort()
    await lost
    const closed = testService.service.dispose()
    await go()
    await closed
    const next = await testService.openAnother()
    expect(replayed(await post(testService, {}, next))).toBe(true)
    expect(testService.ledgerCalls).toEqual(["hold", "settle"])
    await next.dispose()
  })
})

describe("a process that crashes", () => {
  it("between the charge and the answer has kept the answer, which the retry is given without a charge", async () => {
    const testService = await openTestService()
    const dying = await testService.openAnother(crashingStores({ answer: () => Effect.never }))
    void post(testService, { query: "includeSummary" }, dying)
    await until(() => testService.ledgerCalls.includes("settle"))
    await Effect.runPromise(Effect.orDie(testService.provisioning.grant(testService.project.projectId, 5n)))
    const before = await credits(testService)
    const answers = [await post(testService, { query: "includeSummary" }), await post(testService, { query: "includeSummary" })]
    expect(answers.map(replayed)).toEqual([true, true])
    expect(answers[1]?.body).toBe(answers[0]?.body)
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    // What remained after the charge, not what remains now.
    expect(answers[0]?.body).toContain('"creditsRemaining":"999998"')
    expect(await credits(testService)).toEqual(before)
    expect(testService.ledgerCalls).toEqual(["hold", "settle"])
    await testService.service.dispose()
  })

  it("before the charge leaves a key that the retry takes over; if it resumes, it charges nothing", async () => {
    const { go, script } = gated(1)
    const testService = await openTestService({ script })
    const frozen = await testService.openAnother(crashingStores({}))
    const late = post(testService, {}, frozen)
    await until(() => testService.requests.length > 0)
    const retry = await post(testService)
    expect([retry.status, replayed(retry)]).toEqual([200, false])
    await go()
    expect(JSON.parse((await late).body)).toEqual(JSON.parse(retry.body))
    expect(testService.ledgerCalls).toEqual(["hold", "hold", "settle", "void"])
    expect(await credits(testService)).toMatchObject({ used: "2", held: "0" })
    await Promise.all([testService.service.dispose(), frozen.dispose()])
  })

  it("with an unacknowledged charge is retried without a second charge", async () => {
    const testService = await openTestService()
    const unsure = await testService.openAnother((stores) => {
      const ledger = Context.get(stores, Ledger)
      const settleChosen: typeof ledger.settleChosen = (...args) => Effect.zipRight(ledger.settleChosen(...args), Effect.die("lost"))
      return Layer.succeedContext(Context.add(stores, Ledger, { ...ledger, settleChosen }))
    })
    expect((await post(testService, {}, unsure)).status).toBe(200)
    expect(replayed(await post(testService))).toBe(true)
    expect(await credits(testService)).toMatchObject({ used: "2", held: "0" })
    await Promise.all([testService.service.dispose(), unsure.dispose()])
  })
})
