/** One Idempotency-Key: one run, one charge, one answer, whoever asks, hangs up, dies or comes back (decision D34). */
import { Context, Deferred, Effect, Layer, Redacted } from "effect"
import { describe, expect, it } from "vitest"
import { Idempotency } from "../../ports/idempotency.ts"
import { Ledger } from "../../ports/ledger.ts"
import { outcome, type Script } from "../../testdata/scriptedRuntime.ts"
import { type OpenWorld, openWorld, seamRequest, type WorldPorts } from "../../testdata/world.ts"
import type { Service, ServiceResponse } from "../transport/seam.ts"

type Answer = Pick<ServiceResponse, "status" | "headers"> & { readonly body: string }

interface Ask {
  readonly key?: string
  readonly body?: Readonly<Record<string, unknown>>
  readonly query?: string
  readonly apiKey?: string
  readonly signal?: AbortSignal
}

const post = async (world: OpenWorld, ask: Ask = {}, service: Service = world.service): Promise<Answer> => {
  const { apiKey = world.key, body, key = "the-key", query = "", signal } = ask
  const response = await service.fetch(
    seamRequest("POST", `/execute?execProgramId=${world.execProgramId}&${query}`, {
      headers: { authorization: `Bearer ${apiKey}`, "idempotency-key": key },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal })
    })
  )
  if (response === undefined) throw new Error("no answer")
  return { ...response, body: String(response.body) }
}

const replayed = ({ headers }: Answer): boolean => headers["idempotency-replayed"] === "true"

const credits = async ({ key, service }: OpenWorld): Promise<unknown> => {
  const response = await service.fetch(seamRequest("GET", "/project", { headers: { authorization: `Bearer ${key}` } }))
  return (JSON.parse(String(response?.body)) as { readonly credits: unknown }).credits
}

/** The key of another project with credits. */
const neighbourKey = ({ keys, provisioning }: OpenWorld) =>
  Effect.gen(function* () {
    const { projectId } = yield* provisioning.createProject({ organizationSlug: "other" })
    yield* provisioning.grant(projectId, 1_000_000n)
    return Redacted.value((yield* keys.issue(projectId)).key)
  })

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1))
}

/** A script that waits for its gate, the first so many times. */
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

/** Stores of a process about to die: its claims hold for 50 ms, it renews none, and leaves undone what `dead` says. */
const keysOfTheDead = (dead: Partial<Keys>) => (stores: WorldPorts) => {
  const keys = Context.get(stores, Idempotency)
  const short: Keys = {
    ...keys,
    claim: (input) => keys.claim({ ...input, leaseMs: 50 }),
    renew: () => Effect.succeed(true)
  }
  return Layer.succeedContext(Context.add(stores, Idempotency, { ...short, ...dead }))
}

describe("the first answer", () => {
  it("is given again to the same request, however it is written, and is charged once", async () => {
    const world = await openWorld({ script: () => Effect.succeed(outcome({ result: Uint8Array.of(1) })) })
    const first = await post(world, { query: "includeSummary&encoding=hex", body: { execInputs: "0x0a" } })
    const before = await credits(world)
    const again = await post(world, { body: { execInputs: "Cg==", inputEncoding: "base64", includeSummary: true } })
    expect(first.status).toBe(200)
    expect([first, again].map(replayed)).toEqual([false, true])
    expect({ status: again.status, body: again.body }).toEqual({ status: 200, body: first.body })
    expect(again.headers["x-request-id"]).not.toBe(first.headers["x-request-id"])
    expect(await credits(world)).toEqual(before)
    expect(world.ledgerCalls).toEqual(["hold", "settle"])
    await world.service.dispose()
  })

  it("is given again when it was a failure", async () => {
    const world = await openWorld({ script: () => Effect.succeed(outcome({ exitCode: 3 })) })
    const [first, again] = [await post(world), await post(world)]
    expect([first.status, again.status, again.body === first.body, replayed(again)]).toEqual([599, 599, true, true])
    expect(world.ledgerCalls).toEqual(["hold", "settle"])
    await world.service.dispose()
  })

  it("is not given to another request, nor to another project", async () => {
    const world = await openWorld()
    await post(world, { query: "execInputs=a" })
    for (const query of [
      "execInputs=b",
      "execInputs=a&includeDebugInfo",
      "execInputs=a&encoding=utf8",
      "execInputs=a&tallyInputs=a",
      "execInputs=a&returnLastResult",
      "execInputs=a&injectLastResult=last",
      "execInputs=a&noPrefetch"
    ]) {
      const other = await post(world, { query })
      expect([other.status, replayed(other)], query).toEqual([422, false])
      expect(JSON.parse(other.body)).toMatchObject({ _tag: "IdempotencyKeyReused" })
    }
    expect(world.ledgerCalls).toEqual(["hold", "settle"])
    const apiKey = await Effect.runPromise(neighbourKey(world))
    const neighbours = [await post(world, { apiKey, query: "execInputs=b" }), await post(world, { query: "execInputs=a" })]
    expect(neighbours.map(({ status }) => status)).toEqual([200, 200])
    expect(neighbours.map(replayed)).toEqual([false, true])
    await world.service.dispose()
  })

  it("is no refusal: the key is free for the next try and for another request", async () => {
    const world = await openWorld({ credits: 0n })
    const refused = [await post(world), await post(world), await post(world, { query: "execInputs=b" })]
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403])
    await Effect.runPromise(world.provisioning.grant(world.project.projectId, 1_000_000n))
    const first = await post(world)
    expect([first.status, replayed(first), replayed(await post(world))]).toEqual([200, false, true])
    await world.service.dispose()
  })

  it("is no fault of ours: the next try runs", async () => {
    let runs = 0
    const world = await openWorld({
      script: () => ((runs += 1) === 1 ? Effect.die("broken") : Effect.succeed(outcome()))
    })
    expect((await post(world)).status).toBe(500)
    const [first, again] = [await post(world), await post(world)]
    expect([first.status, again.body === first.body, replayed(again)]).toEqual([200, true, true])
    expect(world.ledgerCalls).toEqual(["hold", "void", "hold", "settle"])
    await world.service.dispose()
  })
})

describe("a key", () => {
  it("is 1 to 255 visible ASCII characters", async () => {
    const world = await openWorld()
    for (const key of ["", " ", "é", "a\tb", "a b", "x".repeat(256), "\u007f"]) {
      const refused = await post(world, { key })
      expect(refused.status, key).toBe(400)
      expect(JSON.parse(refused.body)).toMatchObject({ details: { parameter: "Idempotency-Key" } })
    }
    for (const key of ["~", "x".repeat(255), "!\"',;{}"]) expect((await post(world, { key })).status, key).toBe(200)
    await world.service.dispose()
  })

  it("means nothing to a GET and to a dry run", async () => {
    const world = await openWorld()
    const get = () =>
      world.service.fetch(
        seamRequest("GET", `/execute?execProgramId=${world.execProgramId}`, {
          headers: { authorization: `Bearer ${world.key}`, "idempotency-key": "the-key" }
        })
      )
    expect([(await get())?.status, (await get())?.status, world.ledgerCalls.length]).toEqual([200, 200, 4])
    expect((await post(world, { query: "dryRun" })).status).toBe(200)
    expect((await post(world, { query: "execInputs=other&dryRun" })).status).toBe(200)
    expect(replayed(await post(world))).toBe(false)
    await world.service.dispose()
  })
})

describe("at once", () => {
  it("100 requests through two services on one store are one run, one charge and 100 equal bodies", async () => {
    const { go, script } = gated(1)
    const world = await openWorld({ script })
    const other = await world.openAnother()
    const asked = Array.from({ length: 100 }, (_, at) => post(world, {}, at % 2 === 0 ? world.service : other))
    await until(() => world.requests.length > 0)
    await go()
    const answers = await Promise.all(asked)
    expect(new Set(answers.map(({ body, status }) => `${status} ${body}`)).size).toBe(1)
    expect(answers.filter(replayed).length).toBe(99)
    expect(world.ledgerCalls).toEqual(["hold", "settle"])
    expect(world.requests.length).toBe(2)
    await Promise.all([world.service.dispose(), other.dispose()])
  })

  it("a refusal lets the next one of those who wait try", async () => {
    const world = await openWorld({ credits: 0n })
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(world)))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 403))
    expect(world.ledgerCalls).toEqual(answers.map(() => "refused"))
    await world.service.dispose()
  })
})

describe("a client that hangs up", () => {
  it("finds the answer when it comes back", async () => {
    const { go, script } = gated(1)
    const world = await openWorld({ script })
    const client = new AbortController()
    const lost = post(world, { signal: client.signal })
    await until(() => world.requests.length > 0)
    client.abort()
    expect((await lost).status).toBe(503)
    const retry = post(world)
    await go()
    expect([(await retry).status, replayed(await retry)]).toEqual([200, true])
    expect(world.ledgerCalls).toEqual(["hold", "settle"])
    await world.service.dispose()
  })

  it("finds it in the next service when this one was closed meanwhile", async () => {
    const { go, script } = gated(1)
    const world = await openWorld({ script })
    const client = new AbortController()
    const lost = post(world, { signal: client.signal })
    await until(() => world.requests.length > 0)
    client.abort()
    await lost
    const closed = world.service.dispose()
    await go()
    await closed
    const next = await world.openAnother()
    expect(replayed(await post(world, {}, next))).toBe(true)
    expect(world.ledgerCalls).toEqual(["hold", "settle"])
    await next.dispose()
  })
})

describe("a process that dies", () => {
  it("between the charge and the answer leaves a run that the retry finds and answers, uncharged", async () => {
    const world = await openWorld()
    const dying = await world.openAnother(keysOfTheDead({ keep: () => Effect.never }))
    void post(world, { query: "includeSummary" }, dying)
    await until(() => world.ledgerCalls.includes("settle"))
    const before = await credits(world)
    const answers = [await post(world, { query: "includeSummary" }), await post(world, { query: "includeSummary" })]
    expect(answers.map(replayed)).toEqual([true, true])
    expect(answers[1]?.body).toBe(answers[0]?.body)
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(await credits(world)).toEqual(before)
    expect(world.ledgerCalls).toEqual(["hold", "settle"])
    await world.service.dispose()
  })

  it("before the charge leaves a key that the retry takes over; back from the dead, it charges nothing", async () => {
    const { go, script } = gated(1)
    const world = await openWorld({ script })
    const frozen = await world.openAnother(keysOfTheDead({}))
    const late = post(world, {}, frozen)
    await until(() => world.requests.length > 0)
    const retry = await post(world)
    expect([retry.status, replayed(retry)]).toEqual([200, false])
    await go()
    expect(JSON.parse((await late).body)).toEqual(JSON.parse(retry.body))
    expect(world.ledgerCalls).toEqual(["hold", "hold", "settle", "void"])
    expect(await credits(world)).toMatchObject({ used: "2", held: "0" })
    await Promise.all([world.service.dispose(), frozen.dispose()])
  })

  it("with a charge of which nobody knows whether it went through is asked again, not charged again", async () => {
    const world = await openWorld()
    const unsure = await world.openAnother((stores) => {
      const ledger = Context.get(stores, Ledger)
      const settle: typeof ledger.settle = (...args) => Effect.zipRight(ledger.settle(...args), Effect.die("lost"))
      return Layer.succeedContext(Context.add(stores, Ledger, { ...ledger, settle }))
    })
    expect((await post(world, {}, unsure)).status).toBe(200)
    expect(replayed(await post(world))).toBe(true)
    expect(await credits(world)).toMatchObject({ used: "2", held: "0" })
    await Promise.all([world.service.dispose(), unsure.dispose()])
  })
})
