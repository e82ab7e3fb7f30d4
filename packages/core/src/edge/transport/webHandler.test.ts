/** The web handler: how a service sees a `Request`, and how its answer becomes a `Response`. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { foreignPathResponse } from "./foreignPath.ts"
import { BodyUnreadable, type Service, type ServiceRequest, type ServiceResponse } from "./seam.ts"
import { serviceRequestOf, toWebHandler } from "./webHandler.ts"

const serviceOf = (fetch: Service["fetch"]): Service => ({
  fetch,
  upgrade: async () => undefined,
  maxMessageBytes: 1_000,
  dispose: async () => {}
})

const request = (target: string, init: RequestInit = {}): ServiceRequest => {
  const seen = serviceRequestOf(new Request(`http://host${target}`, init))
  if (seen === undefined) throw new Error("every target is below the root")
  return seen
}

const streamed = (pieces: Iterable<Uint8Array>): RequestInit => {
  const iterator = pieces[Symbol.iterator]()
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const { done, value } = iterator.next()
      if (done === true) controller.close()
      else controller.enqueue(value)
    }
  })
  return { method: "POST", body, duplex: "half" } as RequestInit
}

const reasonOf = (body: Promise<Uint8Array>): Promise<unknown> =>
  body.then(
    () => "read",
    (cause: unknown) => (cause instanceof BodyUnreadable ? cause.reason : cause)
  )

describe("a request", () => {
  it("has its method, its target as sent and its headers", () => {
    const seen = request("/execute?a=1&a=2&b=x+y%20z&c", { method: "POST", headers: { "X-Some": "thing" } })
    expect([seen.method, seen.url]).toEqual(["POST", "/execute?a=1&a=2&b=x+y%20z&c"])
    expect([seen.header("x-SOME"), seen.header("x-none")]).toEqual(["thing", undefined])
  })

  it("loses its fragment, which is never sent", () => {
    expect(request("/execute?a=1#there").url).toBe("/execute?a=1")
  })

  it("is ignored outside the prefix", async () => {
    const handle = toWebHandler(
      serviceOf(async ({ url }) => ({ status: 200, headers: {}, body: url })),
      { prefix: "/oracle" }
    )
    expect(await handle(new Request("http://host/execute"))).toBeUndefined()
    expect(await (await handle(new Request("http://host/oracle/execute?a=1")))?.text()).toBe("/execute?a=1")
  })

  it("passes on the signal of a client that disconnects", () => {
    const leaving = new AbortController()
    const seen = request("/execute", { signal: leaving.signal })
    expect(seen.signal?.aborted).toBe(false)
    leaving.abort()
    expect(seen.signal?.aborted).toBe(true)
  })
})

describe("a body", () => {
  it("arrives complete, whatever its chunks", async () => {
    const pieces = fc.array(fc.uint8Array({ minLength: 1, maxLength: 50 }), { maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(pieces, async (sent) => {
        const whole = Uint8Array.from(sent.flatMap((piece) => [...piece]))
        const seen = request("/", streamed(sent.map((piece) => piece.slice())))
        expect([...(await seen.body(whole.length))]).toEqual([...whole])
      })
    )
  })

  it("is refused one byte above the limit, whatever its chunks", async () => {
    const pieces = fc.array(fc.uint8Array({ minLength: 1, maxLength: 50 }), { minLength: 1, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(pieces, async (sent) => {
        const length = sent.reduce((sum, piece) => sum + piece.length, 0)
        expect(await reasonOf(request("/", streamed(sent)).body(length - 1))).toBe("tooLarge")
      })
    )
  })

  it("without end is read no further than the limit", async () => {
    let given = 0
    const endless = (function* () {
      for (;;) {
        given += 1
        yield new Uint8Array(1000)
      }
    })()
    expect(await reasonOf(request("/", streamed(endless)).body(10_000))).toBe("tooLarge")
    expect(given).toBeLessThan(20)
  })

  it("that is refused can be read to its end by others", async () => {
    const pieces = [new Uint8Array(60), new Uint8Array(60), new Uint8Array(60)]
    const asked = new Request("http://service/", { ...streamed(pieces), method: "POST" })
    const seen = serviceRequestOf(asked)
    expect(await reasonOf(seen?.body(100) ?? Promise.resolve(new Uint8Array()))).toBe("tooLarge")
    let rest = 0
    await asked.body?.pipeTo(new WritableStream({ write: ({ byteLength }: Uint8Array) => void (rest += byteLength) }))
    expect(rest).toBe(60)
  })

  it("declared too large is not read at all", async () => {
    let given = 0
    const pieces = (function* () {
      for (;;) {
        given += 1
        yield new Uint8Array(10)
      }
    })()
    const seen = request("/", { ...streamed(pieces), headers: { "content-length": "1001" } })
    expect(await reasonOf(seen.body(1000))).toBe("tooLarge")
    // The stream fills its own buffer of one chunk without a read.
    expect(given).toBeLessThanOrEqual(1)
  })

  it("that is absent is empty", async () => {
    expect(await request("/").body(0)).toHaveLength(0)
    expect(await request("/", { method: "POST" }).body(0)).toHaveLength(0)
  })

  it("that was read before is refused, not waited for", async () => {
    const read = new Request("http://host/", { method: "POST", body: "text" })
    await read.text()
    expect(await reasonOf(serviceRequestOf(read)?.body(10) ?? Promise.resolve(new Uint8Array()))).toBe("alreadyRead")
    const locked = new Request("http://host/", { method: "POST", body: "text" })
    locked.body?.getReader()
    expect(await reasonOf(serviceRequestOf(locked)?.body(10) ?? Promise.resolve(new Uint8Array()))).toBe("alreadyRead")
  })

  it("that is cut off is aborted", async () => {
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(new Error("reset by peer"))
    })
    expect(await reasonOf(request("/", { method: "POST", body, duplex: "half" } as RequestInit).body(10))).toBe("aborted")
  })
})

describe("an answer", () => {
  const answered = (response: ServiceResponse): Promise<Response | undefined> =>
    toWebHandler(serviceOf(async () => response))(new Request("http://host/"))

  it("keeps its status, 599 too, its headers and its text", async () => {
    const headers = { "content-type": "application/json", "x-request-id": "an id" }
    const response = await answered({ status: 599, headers, body: '{"text":"½ €"}' })
    expect([response?.status, response?.headers.get("x-request-id")]).toEqual([599, "an id"])
    expect(response?.headers.get("content-type")).toBe("application/json")
    expect(await response?.text()).toBe('{"text":"½ €"}')
  })

  it("keeps its bytes, those of a view into a larger buffer too", async () => {
    const view = Uint8Array.of(1, 2, 3, 4, 5).subarray(1, 4)
    const response = await answered({ status: 200, headers: {}, body: view })
    expect([...new Uint8Array((await response?.arrayBuffer()) ?? new ArrayBuffer())]).toEqual([2, 3, 4])
  })

  it("is absent for a path that is none of the service's", async () => {
    const handle = toWebHandler(serviceOf(async () => undefined))
    expect(await handle(new Request("http://host/elsewhere"))).toBeUndefined()
  })
})

it("answers a foreign path in the form of every error", () => {
  const text = "there is nothing at this path"
  const { body, headers, status } = foreignPathResponse("1234")
  expect({ status, headers, body }).toEqual({
    status: 404,
    headers: { "content-type": "application/json; charset=utf-8", "x-request-id": "1234" },
    body: JSON.stringify({ _tag: "NotFound", error: text, message: text, requestId: "1234" })
  })
})
