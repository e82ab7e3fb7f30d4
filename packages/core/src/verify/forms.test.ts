/** Every form in which a service sends a signed result is accepted, and none can show a value that was not signed. */
import { Effect } from "effect"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { fromHex, toUtf8 } from "../domain/encoding/bytes.ts"
import { grantedUpgrade, handSocket } from "../testdata/handSocket.ts"
import { outcome, type Script } from "../testdata/scriptedRuntime.ts"
import { livePart, networkKeys } from "../testdata/signedResponses.ts"
import { testPublicKey } from "../testdata/vectors.ts"
import { openTestService, type OpenTestService, seamRequest } from "../testdata/testService.ts"
import { verify } from "../verify.ts"

/** A program that returns its inputs through the reveal; `fail` makes it fail. */
const echo: Script = ({ args, phase }) => {
  if (phase === "tally") {
    const [reveal] = JSON.parse(args[1] ?? "[]") as ReadonlyArray<{ readonly reveal: ReadonlyArray<number> }>
    return Effect.succeed(outcome({ result: Uint8Array.from(reveal?.reveal ?? []) }))
  }
  const inputs = fromHex(args[0] ?? "") ?? new Uint8Array()
  return Effect.succeed(outcome({ result: inputs, exitCode: toUtf8(inputs) === "fail" ? 7 : 0, stdout: "seen" }))
}

let testService: OpenTestService

beforeAll(async () => {
  testService = await openTestService({ script: echo })
})

afterAll(() => testService.service.dispose())

const ask = async (method: string, path: string, body?: object): Promise<unknown> => {
  const headers = { authorization: `Bearer ${testService.key}` }
  const fields = body === undefined ? { headers } : { headers, body: JSON.stringify(body) }
  const answer = await testService.service.fetch(seamRequest(method, path, fields))
  return JSON.parse(String(answer?.body)) as unknown
}

const execute = (inputs: unknown, query = ""): Promise<unknown> =>
  ask("POST", `/execute?${query}`, { execProgramId: testService.execProgramId, execInputs: inputs })

const verdictOn = (response: unknown) => {
  const verdict = verify(response, { publicKey: testPublicKey })
  return verdict.ok ? (toUtf8(verdict.dataResult.result) ?? "bytes") : `${verdict.reason} ${verdict.field}`
}

/** The paths of all values in a JSON value. */
const placesOf = (value: unknown, path: ReadonlyArray<string> = []): ReadonlyArray<ReadonlyArray<string>> =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, member]) => placesOf(member, [...path, name]))
    : [path]

const changedAt = (value: unknown, [name, ...rest]: ReadonlyArray<string>): unknown => {
  if (name === undefined) {
    if (typeof value === "number") return value + 1
    return typeof value === "boolean" ? !value : value === "1" ? "2" : "1"
  }
  const members = Object.entries(value as object).map(
    ([key, member]) => [key, key === name ? changedAt(member, rest) : (member as unknown)] as const
  )
  return Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members)
}

/** What is not signed: ids of the execution, phases, prices, dates, names. */
const unsignedNames = new Set([
  "id",
  "requestId",
  "_tag",
  "execute",
  "tally",
  "summary",
  "executedAt",
  "source",
  "creditsUsed",
  "code",
  "error",
  "message"
])

/** Accepts the response, and refuses it after any change that contradicts the signed part. */
const holdsEverywhere = (response: unknown, result: string): void => {
  expect(verdictOn(response)).toBe(result)
  const places = placesOf(response).filter((place) => !place.some((name) => unsignedNames.has(name)))
  expect(places.length).toBeGreaterThan(20)
  for (const place of places) expect(verdictOn(changedAt(response, place)), place.join(".")).toMatch(/^[a-zA-Z]+ \w/)
}

const priceOfA = '{"price":1.5,"of":["a",null]}'

describe("over REST", () => {
  it.each(["hex", "base64", "utf8", "json"])("a response in %s, with copies beside data and without", async (form) => {
    holdsEverywhere(await execute({ price: 1.5, of: ["a", null] }, `encoding=${form}`), priceOfA)
    const shown = await execute({ price: 1.5 }, `encoding=${form}&includeDebugInfo=true&includeSummary=true`)
    expect(Object.keys(shown as object)).toContain("dataResult")
    holdsEverywhere(shown, '{"price":1.5}')
  })

  it("a failed run", async () => {
    const failed = await execute("fail", "includeDebugInfo=true")
    expect(failed).toMatchObject({ _tag: "FailedExecutionResponse", data: { dataResult: { exitCode: 7 } } })
    holdsEverywhere(failed, "fail")
  })

  it("a last result, the data alone and an entry of the history", async () => {
    const { data } = (await execute("again")) as { readonly data: { readonly dataResult: { readonly drId: string } } }
    holdsEverywhere(data, "again")
    const last = await ask("POST", "/execute/last-result", { execProgramId: testService.execProgramId, execInputs: "again" })
    holdsEverywhere(last, "again")
    const page = await ask("GET", `/data-request-reports?drId=${data.dataResult.drId}`)
    const { data: entries } = page as { readonly data: ReadonlyArray<unknown> }
    holdsEverywhere(entries[0], "again")
    expect(verdictOn(page)).toBe("notAResponse undefined")
  })

  it("any result in any encoding", async () => {
    const anyResult = fc.oneof(
      fc.jsonValue().map((value) => JSON.stringify(value)),
      fc.fullUnicodeString(),
      fc.constantFrom("", "0x", "null", "1e400", "[[1]]", '"0x12"', "\uFEFF{}", '{"__proto__":{"a":1}}'),
      fc.constantFrom("[".repeat(9_000), `${"[".repeat(9_000)}${"]".repeat(9_000)}`)
    )
    const encoding = fc.constantFrom("hex", "base64", "utf8", "json")
    const holds = fc.asyncProperty(
      anyResult,
      encoding,
      async (result, encoding) => verdictOn(await execute(result, `encoding=${encoding}&inputEncoding=utf8`)) === result
    )
    await fc.assert(holds, { numRuns: 80 })
    expect(verdictOn(await execute("0xff00fe", "encoding=utf8"))).toBe("bytes")
  })
})

interface Message {
  readonly id?: string
  readonly method?: string
  readonly params?: object
}

describe("over WebSocket", () => {
  it("a reply, a failed reply, a feed's result and failure, with and without envelope", async () => {
    const socket = handSocket(await grantedUpgrade(testService.service, testService.key))
    const messages = () => socket.texts.map((text) => JSON.parse(text) as Message)
    const send = (id: string, method: string, params: object) => socket.peer.message(JSON.stringify({ jsonrpc: "2.0", id, method, params }))
    const run = (execInputs: string) => ({ execProgramId: testService.execProgramId, execInputs, encoding: "utf8" })
    send("1", "feed.execute", run("fine"))
    send("2", "feed.execute", run("fail"))
    send("3", "feed.start", { execute: run("fed"), periodicityMs: 60_000, mode: "FIXED" })
    send("4", "feed.start", { execute: run("fail"), periodicityMs: 60_000, mode: "FIXED" })
    await vi.waitFor(() => expect(messages()).toHaveLength(1 + 4 + 2), { timeout: 20_000 })
    const replies = messages().filter(({ id }) => id === "1" || id === "2")
    const pushed = messages().filter(({ method }) => method === "feed.result")
    const all = [...replies, ...pushed]
    expect(all.map(verdictOn).toSorted()).toEqual(["fail", "fail", "fed", "fine"])
    for (const message of all) {
      const params = message.params ?? message
      const outcome = Object.entries(params).find(([name]) => name === "result" || name === "error")?.[1] as unknown
      expect([verdictOn(params), verdictOn(outcome)]).toEqual([verdictOn(message), verdictOn(message)])
      holdsEverywhere(outcome, verdictOn(message))
    }
    expect(verdictOn(messages()[0])).toBe("notAResponse undefined")
    socket.peer.closed(1000, "")
  })
})

describe("a misleading response", () => {
  const check = (response: unknown) => {
    const verdict = verify(response, { publicKey: networkKeys.mainnet })
    return verdict.ok ? "accepted" : verdict.reason
  }
  const genuine = { _tag: "ExecuteResponse", data: livePart }

  it("is not searched for a record that its reader would not use", () => {
    expect(check(genuine)).toBe("accepted")
    expect(check({ data: { result: 1 }, result: genuine })).toBe("notAResponse")
    expect(check({ data: { result: 1 }, error: genuine })).toBe("notAResponse")
    expect(check({ method: "feed.result", params: { result: genuine, error: genuine } })).toBe("notAResponse")
    expect(check({ method: "other", params: { result: genuine } })).toBe("notAResponse")
    expect(check({ result: { result: { result: { result: genuine } } } })).toBe("notAResponse")
  })

  it("is refused if it shows another result beside the signed one", () => {
    expect(check({ ...genuine, data: { ...livePart, result: { price: 1 } } })).toBe("copyChanged")
    expect(check({ ...genuine, result: "0x00" })).toBe("copyChanged")
    expect(check({ ...genuine, dataResult: { ...livePart.dataResult, result: "00" } })).toBe("copyChanged")
    expect(check({ ...genuine, signature: livePart.signature.replace(/^./, "f") })).toBe("copyChanged")
    // One possible layout: only ids inside `data`, everything else beside it.
    expect(check({ ...livePart, data: { id: "1" } })).toBe("accepted")
    expect(check({ ...livePart, data: { id: "1", result: 5 } })).toBe("copyChanged")
  })
})
