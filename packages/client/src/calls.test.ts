/** Calls over HTTP: what is sent, what is tried again and how, and every error by its tag. */
import { beforeEach, describe, expect, test } from "vitest"
import { type ClientOptions, createClient, createClientOn } from "./createClient.ts"
import { isClientError } from "./errors/clientError.ts"
import type { Fetch } from "./ground/platform.ts"
import type { ResultSchema } from "./ground/resultSchema.ts"
import { VirtualTime } from "./testdata/virtualTime.ts"

interface Sent {
  readonly url: string
  readonly method: string
  readonly headers: Record<string, string>
  readonly body: unknown
}

interface Answered {
  readonly status: number
  readonly body: string
  readonly headers?: Record<string, string>
  readonly redirectedTo?: string
}

type Answer = Answered | "unreachable" | "silent" | "broken off"

let time: VirtualTime
let sent: Array<Sent>
let answers: Array<Answer>

const fetchOf: Fetch = (url, { body, headers, method, signal }) => {
  sent.push({ url, method, headers, body: body === undefined ? undefined : JSON.parse(body) })
  const answer = answers.shift() ?? "unreachable"
  if (answer === "unreachable") return Promise.reject(new TypeError("fetch failed"))
  if (answer === "silent") return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))))
  if (answer === "broken off") {
    return Promise.resolve({ ok: true, status: 200, headers: new Headers(), text: () => Promise.reject(new TypeError("terminated")) })
  }
  return Promise.resolve({
    ok: answer.status < 300,
    status: answer.status,
    headers: new Headers(answer.headers),
    text: () => Promise.resolve(answer.body),
    ...(answer.redirectedTo === undefined ? {} : { redirected: true, url: answer.redirectedTo })
  })
}

const clientOf = (options: Partial<ClientOptions> = {}) => {
  let ids = 0
  const platform = { fetch: fetchOf, WebSocket: undefined, after: time.after, random: () => 0, newId: () => `id-${(ids += 1)}` }
  return createClientOn(platform, { url: "https://oracle.example/base/", auth: "sibyl_local_key", ...options })
}

const json = (status: number, body: object, headers?: Record<string, string>): Answered => ({
  status,
  body: JSON.stringify(body),
  ...(headers === undefined ? {} : { headers })
})
const done = (result: unknown): Answer => json(200, { _tag: "ExecuteResponse", data: { result } })

/** What a call ends with, while time passes. */
const ending = async (call: Promise<unknown>): Promise<unknown> => {
  const ended = call.then(
    (value) => value,
    (error: unknown) => error
  )
  await time.pass(600_000)
  return ended
}

beforeEach(() => {
  time = new VirtualTime()
  sent = []
  answers = []
})

test("inputs are sent in the body and options in the query, with the key and an idempotency key", async () => {
  answers = [done("0x01")]
  const { answer, result } = await clientOf().execute({
    execProgramId: "echo",
    execInputs: { a: 1 },
    includeSummary: true,
    tallyInputs: "0x00"
  })
  expect(result).toBe("0x01")
  expect(answer).toEqual({ _tag: "ExecuteResponse", data: { result: "0x01" } })
  expect(sent).toEqual([
    {
      url: "https://oracle.example/base/execute?includeSummary=true",
      method: "POST",
      headers: { authorization: "Bearer sibyl_local_key", "content-type": "application/json", "idempotency-key": "id-1" },
      body: { execProgramId: "echo", execInputs: { a: 1 }, tallyInputs: "0x00" }
    }
  ])
})

describe("attempts", () => {
  test("have one idempotency key, go to the addresses in turn, and wait in between", async () => {
    answers = ["unreachable", json(503, { _tag: "Overloaded", error: "full" }, { "retry-after": "3" }), done("ok")]
    const call = clientOf({ url: undefined, urls: ["https://one.example", "https://two.example"] }).execute({ execProgramId: "echo" })
    await time.pass(199)
    expect(sent).toHaveLength(1)
    await time.pass(1)
    expect(sent).toHaveLength(2)
    await time.pass(2_999)
    expect(sent).toHaveLength(2)
    await time.pass(1)
    expect((await call).result).toBe("ok")
    expect(sent.map(({ headers, url }) => [url, headers["idempotency-key"]])).toEqual([
      ["https://one.example/execute", "id-1"],
      ["https://two.example/execute", "id-1"],
      ["https://one.example/execute", "id-1"]
    ])
  })

  test("of a later call begin at the address that answered, also of one that is made only once", async () => {
    const client = clientOf({ url: undefined, urls: ["https://one.example", "https://two.example"] })
    answers = ["unreachable", json(201, { feedId: "f" }), done("ok"), "unreachable", done("ok")]
    const add = () => client.addFeed({ execute: { execProgramId: "echo" }, mode: "FIXED", periodicityMs: 1_000 })
    expect(await ending(add())).toMatchObject({ _tag: "NotReached" })
    expect(await ending(add())).toEqual({ feedId: "f" })
    await ending(client.execute({ execProgramId: "echo" }))
    await ending(client.execute({ execProgramId: "echo" }))
    expect(sent.map(({ url }) => new URL(url).hostname)).toEqual([
      "one.example",
      "two.example",
      "two.example",
      "two.example",
      "one.example"
    ])
  })

  test("of calls at once leave the address that fails only once", async () => {
    const client = clientOf({ url: undefined, urls: ["https://one.example", "https://two.example", "https://three.example"] })
    answers = ["unreachable", "unreachable", done("ok"), done("ok")]
    await Promise.all([ending(client.execute({ execProgramId: "echo" })), ending(client.execute({ execProgramId: "echo" }))])
    expect(sent.map(({ url }) => new URL(url).hostname)).toEqual(["one.example", "one.example", "two.example", "two.example"])
  })

  test("end when there were as many as asked for", async () => {
    expect(await ending(clientOf({ retry: { attempts: 3 } }).execute({ execProgramId: "echo" }))).toMatchObject({ _tag: "NotReached" })
    expect(sent).toHaveLength(3)
  })

  test.each([
    ["no connection", "unreachable", "https://oracle.example/base cannot be reached, or the connection ended before it answered"],
    ["an answer that ends in its middle", "broken off", "https://oracle.example/base broke its answer off"]
  ] as const)("tell what failed: %s", async (_, answer, message) => {
    answers = [answer, answer]
    expect(await ending(clientOf({ retry: { attempts: 2 } }).execute({ execProgramId: "echo" }))).toMatchObject({
      _tag: "NotReached",
      message
    })
    expect(sent).toHaveLength(2)
  })

  test("take no longer than they may", async () => {
    answers = ["silent", done("late")]
    const call = clientOf({ timeoutMs: 1_000 }).execute({ execProgramId: "echo" })
    await time.pass(999)
    expect(sent).toHaveLength(1)
    await time.pass(10_000)
    expect((await call).result).toBe("late")
  })

  test("are not made for what the service will refuse again", async () => {
    answers = [
      json(400, { _tag: "InvalidParameter", error: "no", details: { parameter: "execProgramId", rule: "must be" }, requestId: "r" })
    ]
    expect(await ending(clientOf().execute({ execProgramId: "" }))).toMatchObject({
      _tag: "InvalidParameter",
      status: 400,
      message: "no",
      details: { parameter: "execProgramId", rule: "must be" },
      requestId: "r"
    })
    expect(sent).toHaveLength(1)
  })
})

test("a proxy's page with Retry-After is tried again then", async () => {
  answers = [{ status: 429, body: "<html>", headers: { "retry-after": "7" } }, done("ok")]
  const call = clientOf().execute({ execProgramId: "echo" })
  await time.pass(6_999)
  expect(sent).toHaveLength(1)
  await time.pass(1)
  expect((await call).result).toBe("ok")
})

describe("what a call rejects with", () => {
  test.each([
    [
      "a failed run",
      json(599, { _tag: "FailedExecutionResponse", error: "exit code 3", data: { id: "x" } }),
      { _tag: "FailedExecutionResponse", data: { id: "x" } }
    ],
    ["a service without tags", json(403, { error: "no credits" }), { _tag: "InsufficientCredits", message: "no credits" }],
    [
      "a limit that lasts",
      json(429, { _tag: "CreditLimitExceeded", error: "spent" }, { "retry-after": "3600" }),
      { _tag: "CreditLimitExceeded", retryAfterMs: 3_600_000 }
    ],
    ["a page of something else", { status: 200, body: "<html>" } as const, { _tag: "UnexpectedAnswer", status: 200 }],
    [
      "a redirect that has dropped the key",
      { ...json(401, { _tag: "Unauthorized", error: "a key is needed" }), redirectedTo: "https://other.example/execute" },
      { _tag: "UnexpectedAnswer", message: expect.stringContaining("redirects to https://other.example/execute, without the key") }
    ],
    ["a record of something else", json(200, { hello: 1 }), { _tag: "UnexpectedAnswer" }]
  ])("%s", async (_what, answer, expected) => {
    answers = [answer]
    const error = await ending(clientOf().execute({ execProgramId: "echo" }))
    expect(error).toMatchObject(expected)
    expect(isClientError(error)).toBe(true)
    expect(sent).toHaveLength(1)
  })

  test("the reason of a signal, at any point", async () => {
    const reason = new Error("enough")
    expect(await ending(clientOf().execute({ execProgramId: "echo" }, { signal: AbortSignal.abort(reason) }))).toBe(reason)
    expect(sent).toEqual([])
    for (const first of ["silent", "unreachable"] as const) {
      answers = [first]
      const control = new AbortController()
      const call = ending(clientOf().execute({ execProgramId: "echo" }, { signal: control.signal }))
      time.after(100, () => control.abort(reason))
      await time.pass(100)
      expect(await call).toBe(reason)
    }
    expect(sent).toHaveLength(2)
  })

  test("what the function for auth throws", async () => {
    const error = new Error("signed out")
    expect(await ending(clientOf({ auth: () => Promise.reject(error) }).project())).toBe(error)
    expect(await ending(clientOf({ auth: undefined }).project())).toMatchObject({ _tag: "InvalidOption", option: "auth" })
  })
})

test("a schema types and checks the result, asks for JSON, and leaves the answer as it was", async () => {
  const schema: ResultSchema<bigint> = {
    "~standard": {
      version: 1,
      vendor: "test",
      validate: (value) => (typeof value === "number" ? { value: BigInt(value) } : { issues: [{ message: "must be a number" }] })
    }
  }
  answers = [done(3), done("three")]
  const { answer, result } = await clientOf().execute({ execProgramId: "echo" }, { schema })
  expect([result, answer.data.result]).toEqual([3n, 3])
  expect(sent[0]?.url).toBe("https://oracle.example/base/execute?encoding=json")
  expect(await ending(clientOf().execute({ execProgramId: "echo" }, { schema }))).toMatchObject({
    _tag: "InvalidResult",
    issues: [{ message: "must be a number" }],
    answer: { data: { result: "three" } }
  })
})

test("reports come page by page, each when the loop comes to it", async () => {
  answers = [json(200, { data: [1], nextPageId: "p2" }), json(200, { data: [2], nextPageId: null })]
  const pages = []
  for await (const { data } of clientOf().reports({ drId: "d", amount: 1 })) {
    pages.push([data, sent.length])
  }
  expect(pages).toEqual([
    [[1], 1],
    [[2], 2]
  ])
  expect(sent[1]?.url).toBe("https://oracle.example/base/data-request-reports?drId=d&amount=1&nextPageId=p2")
})

test("reports go on at a page that an earlier one named", async () => {
  answers = [json(200, { data: [2], nextPageId: "p3" }), json(200, { data: [3], nextPageId: null })]
  for await (const _ of clientOf().reports({ drId: "d", amount: 1, nextPageId: "p2" }));
  expect(sent.map(({ url }) => new URL(url).searchParams.get("nextPageId"))).toEqual(["p2", "p3"])
})

test("a quote is never a run, stored results and open paths are asked for as they are", async () => {
  answers = [
    json(200, { _tag: "QuoteResponse", data: { drId: "d", quote: { worstCase: "7" } } }),
    done("ran"),
    done("last"),
    json(200, { publicKey: "02" }),
    json(200, { programId: "ab", sizeBytes: 7 }),
    json(200, { data: [{ name: "backend", createdAt: "2026-01-01T00:00:00.000Z", expiresAt: null }] }),
    json(200, { format: "sibyl-recording", version: 1 })
  ]
  const client = clientOf()
  expect(await client.quote({ execProgramId: "echo" })).toMatchObject({ quote: { worstCase: "7" } })
  expect(await ending(client.quote({ execProgramId: "echo" }))).toMatchObject({ _tag: "UnexpectedAnswer" })
  expect((await client.lastResult({ execProgramId: "echo", mode: "success" })).result).toBe("last")
  expect(await client.info()).toEqual({ publicKey: "02" })
  expect(await client.program("v1.prices.acme")).toEqual({ programId: "ab", sizeBytes: 7 })
  expect(await client.keys()).toEqual([{ name: "backend", createdAt: "2026-01-01T00:00:00.000Z", expiresAt: null }])
  expect(await client.recording("a/b")).toBe('{"format":"sibyl-recording","version":1}')
  expect(sent.map(({ url }) => url.replace("https://oracle.example/base", ""))).toEqual([
    "/execute?dryRun=true",
    "/execute?dryRun=true",
    "/execute/last-result?mode=success",
    "/info",
    "/programs/v1.prices.acme",
    "/keys",
    "/executions/a%2Fb/recording"
  ])
  expect(sent[3]?.headers).toEqual({})
  expect(sent[0]?.headers).not.toHaveProperty("idempotency-key")
})

test("what is missing, and a name that would be ignored, is refused", async () => {
  // As code without types calls them.
  const client = clientOf() as unknown as Readonly<Record<string, (...given: ReadonlyArray<unknown>) => unknown>>
  for (const call of ["execute", "quote", "lastResult"]) {
    expect(await ending(Promise.resolve(client[call]?.())), call).toMatchObject({ _tag: "InvalidOption", option: "request" })
  }
  const [execute, times] = [{ execProgramId: "echo" }, { mode: "FIXED", periodicityMs: 1_000 }]
  const feeds: ReadonlyArray<readonly [given: ReadonlyArray<unknown>, option: string]> = [
    [[], "feed"],
    [[times], "feed.execute"],
    [[{ ...times, execute, shared: true }], "feed.shared"],
    [[{ ...times, execute, signal: new AbortController().signal }], "feed.signal"],
    [[{ feedId: "f", from: { seq: 1 } }], "feed.from"],
    [[{ ...times, execute }, { maxWait: 1 }], "options.maxWait"]
  ]
  for (const [given, option] of feeds) {
    expect(() => client["feed"]?.(...given), option).toThrow(expect.objectContaining({ _tag: "InvalidOption", option }))
  }
  expect(sent).toEqual([])
  expect(() => createClient(...([] as unknown as Parameters<typeof createClient>))).toThrow(expect.objectContaining({ option: "options" }))
})

test.each([
  [{ url: undefined }, "url"],
  [{ url: "oracle.example" }, "url"],
  [{ url: "ftp://oracle.example" }, "url"],
  [{ url: "https://me:secret@oracle.example" }, "url"],
  [{ timeout: 5 }, "options.timeout"],
  [{ retry: 3 as unknown as object }, "retry"],
  [{ retry: { tries: 3 } }, "retry.tries"]
])("the option %j is refused, without its secrets", (options, option) => {
  expect(() => clientOf(options as Partial<ClientOptions>)).toThrow(expect.objectContaining({ _tag: "InvalidOption", option }))
  expect(() => clientOf(options as Partial<ClientOptions>)).not.toThrow(/secret/)
})
