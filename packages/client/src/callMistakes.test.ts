/** What callers get wrong, and what ends a call: nothing is sent that cannot be, nothing is tried again that will never be right. */
import { beforeEach, describe, expect, test } from "vitest"
import { type ClientOptions, createClientOn } from "./createClient.ts"
import type { ExecuteRequest, ReportsRequest, TicketRequest } from "./contract/requests.ts"
import type { Fetch } from "./ground/platform.ts"
import type { CallOptions, ExecuteOptions } from "./rest/callOptions.ts"
import { VirtualTime } from "./testdata/virtualTime.ts"

let time: VirtualTime
let sent: Array<string>
/** What the next requests are answered with: a status and a body; what there is none for is not reached. */
let answers: Array<readonly [status: number, body: object]>

const fetchOf: Fetch = (url) => {
  sent.push(url)
  const [status, body] = answers.shift() ?? []
  if (status === undefined) return Promise.reject(new TypeError("fetch failed"))
  return Promise.resolve({ ok: status < 300, status, headers: new Headers(), text: () => Promise.resolve(JSON.stringify(body)) })
}

const clientOf = (options: Partial<ClientOptions> = {}) => {
  const platform = { fetch: fetchOf, WebSocket: undefined, after: time.after, random: () => 0, newId: () => "id" }
  return createClientOn(platform, { url: "https://oracle.example", auth: "sibyl_local_key", ...options })
}

/** What a call ends with, while time passes. */
const ending = async (call: Promise<unknown>, ms = 600_000): Promise<unknown> => {
  const ended = call.then(
    (value) => value,
    (error: unknown) => error
  )
  await time.pass(ms)
  return Promise.race([ended, Promise.resolve("pending")])
}

const invalid = (option: string) => ({ _tag: "InvalidOption", option })

beforeEach(() => {
  time = new VirtualTime()
  sent = []
  answers = []
})

const cyclic: Record<string, unknown> = {}
cyclic["self"] = [cyclic]

describe("what JSON cannot hold is refused by name, before anything is sent", () => {
  test.each([
    ["a bigint", { price: 1n }],
    ["what contains itself", cyclic]
  ])("%s", async (_what, execInputs) => {
    const client = clientOf()
    const request = { execProgramId: "echo", execInputs }
    const times = { mode: "FIXED", periodicityMs: 1_000 } as const
    for (const name of ["execute", "quote", "lastResult"] as const) {
      expect(await ending(client[name](request), 0)).toMatchObject(invalid("request.execInputs"))
    }
    expect(await ending(client.addFeed({ ...times, execute: request }), 0)).toMatchObject(invalid("feed.execute.execInputs"))
    expect(() => client.feed({ ...times, execute: request })).toThrow(expect.objectContaining(invalid("feed.execute.execInputs")))
    const place = { epoch: 1n, seq: 0 } as unknown as { epoch: number; seq: number }
    expect(() => client.feed({ feedId: "f", after: place })).toThrow(expect.objectContaining(invalid("feed.after")))
    expect(await ending(client.ticket({ maxCredits: 5n as unknown as string }), 0)).toMatchObject(invalid("request.maxCredits"))
    expect(sent).toEqual([])
  })
})

test("what is no part of an address or a header is refused at once", async () => {
  const symbol = { execProgramId: "echo", encoding: Symbol("hex") } as unknown as ExecuteRequest
  expect(await ending(clientOf().execute(symbol), 0)).toMatchObject(invalid("request.encoding"))
  for (const idempotencyKey of ["prüfung-€", "two\nlines", "", "x".repeat(256)]) {
    const call = clientOf().execute({ execProgramId: "echo" }, { idempotencyKey })
    expect(await ending(call, 0)).toMatchObject(invalid("options.idempotencyKey"))
  }
  expect(sent).toEqual([])
})

test("options of calls, and tickets, have no names that would be ignored", async () => {
  const client = clientOf()
  const signal = new AbortController().signal
  const wrong: ReadonlyArray<readonly [options: unknown, option: string]> = [
    [{ signl: signal }, "options.signl"],
    [null, "options"],
    [{ signal: {} }, "options.signal"]
  ]
  for (const [given, option] of wrong) {
    const options = given as CallOptions
    const request = { execProgramId: "echo" }
    const calls = [
      () => client.execute(request, options),
      () => client.quote(request, options),
      () => client.lastResult(request, options),
      () => client.reports({ drId: "d" }, options)[Symbol.asyncIterator]().next(),
      () => client.project(options),
      () => client.removeFeed("f", options),
      () => client.ticket({}, options)
    ]
    for (const call of calls) expect(await ending(call(), 0), option).toMatchObject(invalid(option))
  }
  const schema = {} as unknown as ExecuteOptions<unknown>["schema"]
  expect(await ending(client.execute({ execProgramId: "echo" }, { schema }), 0)).toMatchObject(invalid("options.schema"))
  expect(await ending(client.ticket({ alow: ["feeds"] } as TicketRequest), 0)).toMatchObject(invalid("request.alow"))
  const reports = client.reports({ drId: "d", ammount: 1 } as ReportsRequest)
  expect(await ending(reports[Symbol.asyncIterator]().next(), 0)).toMatchObject(invalid("request.ammount"))
  expect(sent).toEqual([])
})

describe("while auth has not given a key", () => {
  test("a signal ends the call, which sends nothing, also later", async () => {
    const control = new AbortController()
    const reason = new Error("enough")
    let give: (key: string) => void = () => undefined
    const client = clientOf({ auth: () => new Promise((resolve) => (give = resolve)) })
    answers = [[200, { _tag: "ExecuteResponse", data: { result: "0x" } }]]
    const call = ending(client.execute({ execProgramId: "echo" }, { signal: control.signal }), 200)
    time.after(100, () => control.abort(reason))
    expect(await call).toBe(reason)
    give("sibyl_local_key")
    await time.pass(600_000)
    expect(sent).toEqual([])
  })

  test("the time of an attempt passes", async () => {
    const client = clientOf({ auth: () => new Promise(() => undefined), timeoutMs: 1_000, retry: { attempts: 2 } })
    const error = await ending(client.execute({ execProgramId: "echo" }), 2_200)
    expect(error).toMatchObject({ _tag: "NotReached", message: "auth gave no key or ticket within 1000 ms" })
  })
})

describe("a feed that is removed", () => {
  const notFound = [404, { _tag: "FeedNotFound", error: "none" }] as const

  test("by an attempt whose answer was lost is removed", async () => {
    answers = [[502, {}], notFound]
    expect(await ending(clientOf().removeFeed("f"))).toBe(undefined)
    expect(sent).toHaveLength(2)
  })

  test("but was never there is told", async () => {
    answers = [notFound]
    expect(await ending(clientOf().removeFeed("f"))).toMatchObject({ _tag: "FeedNotFound" })
  })
})

describe("numbers among the options", () => {
  test.each([
    [{ timeoutMs: Number.POSITIVE_INFINITY }, "timeoutMs"],
    [{ timeoutMs: Number.NaN }, "timeoutMs"],
    [{ timeoutMs: -1 }, "timeoutMs"],
    [{ timeoutMs: 2 ** 31 }, "timeoutMs"],
    [{ timeoutMs: "5" }, "timeoutMs"],
    [{ retry: { attempts: Number.NaN } }, "retry.attempts"],
    [{ retry: { attempts: 0 } }, "retry.attempts"],
    [{ retry: { firstWaitMs: -5 } }, "retry.firstWaitMs"],
    [{ retry: { maxWaitMs: Number.NaN } }, "retry.maxWaitMs"],
    [{ retry: { maxRetryAfterMs: Number.POSITIVE_INFINITY } }, "retry.maxRetryAfterMs"],
    [{ url: "https://oracle.example/?tenant=7" }, "url"],
    [{ url: "https://oracle.example/#here" }, "url"]
  ])("%j is refused", (options, option) => {
    expect(() => clientOf(options as Partial<ClientOptions>)).toThrow(expect.objectContaining(invalid(option)))
  })

  test("that are undefined are the defaults", async () => {
    const retry = { attempts: undefined, firstWaitMs: undefined, maxWaitMs: undefined, maxRetryAfterMs: undefined }
    const call = ending(clientOf({ retry, timeoutMs: undefined }).execute({ execProgramId: "echo" }), 199)
    expect(await call).toBe("pending")
    expect(sent).toHaveLength(1)
    await time.pass(600_000)
    expect(sent).toHaveLength(4)
  })
})
