/** A port for outbound HTTP that is written without types: what it answers wrongly is named, whoever asked. */
import type { OutboundResponse } from "@sibyl/core"
import { Cause, Effect } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { fetchingProgram, getting } from "../testdata/fetchingProgram.ts"
import { answeringWith, openRuntime, requestFor, type TestRuntime, type Upstream } from "../testdata/runtimeOverHttp.ts"
import { checkedFetch } from "./checkedFetch.ts"

const url = "https://u.test/a"
const asked = { projectId: "p", url, method: "GET", headers: [], body: new Uint8Array(), timeoutMs: 1, maxResponseBytes: 1 }
const answered = { kind: "answered", status: 200, headers: [], bytes: new Uint8Array(1), url, contentLength: 1 }
const rejected = { kind: "rejected", message: "no", timedOut: false }

const wrong: ReadonlyArray<readonly [what: string, answer: unknown, told: string]> = [
  ["nothing", undefined, "an answer must be an object, and is undefined"],
  ["null", null, "an answer must be an object, and is null"],
  ["a text", "body", "an answer must be an object, and is string"],
  ["no kind", { status: 200 }, 'an answer must have the kind "answered" or "rejected"'],
  ["a member of every object as its kind", { kind: "constructor" }, 'an answer must have the kind "answered" or "rejected"'],
  ["no status", { ...answered, status: undefined }, "an answer status must be a status of HTTP, a whole number from 100 to 999"],
  ["status 0", { ...answered, status: 0 }, "an answer status must be a status of HTTP, a whole number from 100 to 999"],
  ["headers of fetch", { ...answered, headers: new Headers() }, "an answer headers must be an array of [name, value], both strings"],
  ["a header that is a number", { ...answered, headers: [["a", 1]] }, "an answer headers must be an array of [name, value], both strings"],
  ["bytes that are a text", { ...answered, bytes: "a" }, "an answer bytes must be a Uint8Array"],
  ["an ArrayBuffer", { ...answered, bytes: new ArrayBuffer(1) }, "an answer bytes must be a Uint8Array"],
  ["no url", { ...answered, url: undefined }, "an answer url must be a string, the final address"],
  ["no length", { ...answered, contentLength: null }, "an answer contentLength must be a whole number, 0 where none was declared"],
  ["no message", { ...rejected, message: undefined }, "an answer message must be a string, for the program"],
  ["no timedOut", { ...rejected, timedOut: undefined }, "an answer timedOut must be true or false"]
]

const upstreamOf =
  (answer: unknown): Upstream =>
  () =>
    Effect.succeed(answer as OutboundResponse)

const defectOf = async (upstream: Upstream): Promise<string> => {
  const exit = await Effect.runPromiseExit(checkedFetch({ fetch: upstream }).fetch(asked))
  return exit._tag === "Failure" ? Cause.pretty(exit.cause) : "none"
}

it.each(wrong)("%s is a defect that names the port", async (_what, answer, told) => {
  expect(await defectOf(upstreamOf(answer))).toContain(`RuntimeDefect: the port HttpFetch: ${told}`)
})

it("a Promise in place of an Effect is named", async () => {
  const promised = (() => Promise.resolve(answered)) as unknown as Upstream
  expect(await defectOf(promised)).toContain("RuntimeDefect: the port HttpFetch: fetch must give an Effect, such as Effect.promise")
})

it.each([answered, { ...answered, bytes: Buffer.from("a") }, rejected, { ...rejected, isResting: true }])(
  "%o is given on",
  async (answer) => {
    expect(await Effect.runPromise(checkedFetch({ fetch: upstreamOf(answer) }).fetch(asked))).toBe(answer)
  }
)

describe("a run", () => {
  const open: Array<TestRuntime> = []
  afterAll(() => Promise.all(open.map((runtime) => runtime.dispose())))

  it("fails with it, and so does one whose requests are prefetched", async () => {
    let isWrong = false
    const right = answeringWith("hello")
    const runtime = openRuntime({ workers: 1, spareWorkers: 0 }, (request) =>
      (isWrong ? upstreamOf({ ...answered, bytes: "a" }) : right)(request)
    )
    open.push(runtime)
    const request = requestFor(fetchingProgram([getting(url)]))
    expect(await runtime.run(request)).toMatchObject({ exitCode: 0 })
    isWrong = true
    await expect(runtime.run(request)).rejects.toThrow("the port HttpFetch: an answer bytes must be a Uint8Array")
  })
})
