/** A service from opening to closing: it ignores foreign paths, and a client that disconnects loses only its answer. */
import { Deferred, Effect, Layer, Redacted } from "effect"
import { describe, expect, it } from "vitest"
import { Overloaded } from "../contract/errors.ts"
import { layerMemoryStores } from "../ports/memory/memoryStores.ts"
import { ProgramRuntime } from "../ports/programRuntime.ts"
import { ProgramStore } from "../ports/programStore.ts"
import { Signer } from "../ports/signer.ts"
import { outcome } from "../testdata/scriptedRuntime.ts"
import { openTestService, seamRequest } from "../testdata/testService.ts"
import { openService } from "./service.ts"

type Opened = Awaited<ReturnType<typeof openTestService>>

/** A test service whose runs wait until they are released. */
const gatedService = async () => {
  const gate = await Effect.runPromise(Deferred.make<void>())
  const testService = await openTestService({ script: () => Effect.as(Deferred.await(gate), outcome()) })
  return { testService, go: () => Effect.runPromise(Deferred.succeed(gate, undefined)) }
}

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1))
}

const execute = (testService: Opened, signal?: AbortSignal) =>
  testService.service.fetch(
    seamRequest("GET", `/execute?execProgramId=${testService.execProgramId}`, {
      headers: { authorization: `Bearer ${testService.key}` },
      ...(signal === undefined ? {} : { signal })
    })
  )

const statusOf = async (answer: ReturnType<Opened["service"]["fetch"]>): Promise<number | undefined> => (await answer)?.status

describe("paths", () => {
  it("that are not the service's are ignored, whatever the method", async () => {
    const { service } = await openTestService()
    for (const url of ["/", "", "/nothing", "/execute/", "/Execute", "/execute%20", "//execute", "/docs/", "/ws/v2", "http://x/execute"]) {
      for (const method of ["GET", "POST", "OPTIONS"]) {
        expect(await service.fetch(seamRequest(method, url)), `${method} ${url}`).toBeUndefined()
      }
      expect(await service.upgrade(seamRequest("GET", url)), url).toBeUndefined()
    }
    await service.dispose()
  })
})

describe("HEAD", () => {
  it("has the status and the headers of the GET, and no body", async () => {
    const { key, service } = await openTestService()
    for (const path of ["/health", "/info", "/verify", "/project", "/docs", "/docs/openapi.json"]) {
      const [head, get] = await Promise.all(
        ["HEAD", "GET"].map((method) => service.fetch(seamRequest(method, path, { headers: { authorization: `Bearer ${key}` } })))
      )
      expect(head?.status, path).toBe(200)
      expect(head?.body).toBe("")
      expect(get?.body).not.toBe("")
      expect(head?.headers["content-type"]).toBe(get?.headers["content-type"])
      // The health's time may have gained a digit in between.
      if (path !== "/health") expect(head?.headers["content-length"]).toBe(String(Buffer.byteLength(String(get?.body))))
    }
    const refused = await service.fetch(seamRequest("HEAD", "/verify"))
    expect(refused).toMatchObject({ status: 401, body: "", headers: { "www-authenticate": "Bearer" } })
    await service.dispose()
  })

  it("never executes anything", async () => {
    const testService = await openTestService()
    const url = `/execute?execProgramId=${testService.execProgramId}`
    const head = await testService.service.fetch(seamRequest("HEAD", url, { headers: { authorization: `Bearer ${testService.key}` } }))
    expect(head).toMatchObject({ status: 405, body: "", headers: { allow: "GET, POST" } })
    expect(testService.requests).toEqual([])
    await testService.service.dispose()
  })
})

describe("a client that disconnects", () => {
  it("gets no answer, and its run is finished and charged", async () => {
    const { go, testService } = await gatedService()
    const client = new AbortController()
    const answer = execute(testService, client.signal)
    await until(() => testService.requests.length === 1)
    client.abort()
    expect(await statusOf(answer)).toBe(503)
    expect(testService.ledgerCalls).toEqual(["hold"])
    await go()
    await testService.service.dispose()
    expect(testService.ledgerCalls).toEqual(["hold", "settle"])
  })

  it("while its run waits for a worker is not charged, and the run does not begin", async () => {
    let waiting = 0
    const testService = await openTestService({
      // A runtime whose workers are all busy.
      script: ({ abandoned }) =>
        Effect.async((resume) => {
          waiting += 1
          const leave = (): void => resume(new Overloaded({ message: "its caller left", retryAfterSeconds: 1 }))
          abandoned?.onAbandoned(leave)
        })
    })
    const client = new AbortController()
    const answer = execute(testService, client.signal)
    await until(() => waiting === 1)
    client.abort()
    expect(await statusOf(answer)).toBe(503)
    await until(() => testService.ledgerCalls.length === 2)
    expect(testService.ledgerCalls).toEqual(["hold", "void"])
    await testService.service.dispose()
  })

  it("before its request was processed runs nothing and is not charged", async () => {
    const testService = await openTestService()
    expect(await statusOf(execute(testService, AbortSignal.abort()))).toBe(503)
    await testService.service.dispose()
    expect(testService.ledgerCalls).toEqual([])
    expect(testService.requests).toEqual([])
  })
})

describe("dispose", () => {
  it("waits for running requests, refuses new ones, reports that it is draining, and then is closed", async () => {
    const { go, testService } = await gatedService()
    const running = execute(testService)
    await until(() => testService.requests.length === 1)
    let closed = false
    const disposed = testService.service.dispose().then(() => (closed = true))
    let health = await testService.service.fetch(seamRequest("GET", "/health"))
    while (health?.status === 200) health = await testService.service.fetch(seamRequest("GET", "/health"))
    expect(health?.status).toBe(503)
    expect(JSON.parse(String(health?.body))).toMatchObject({ status: "draining" })
    expect(await statusOf(execute(testService))).toBe(503)
    expect(closed).toBe(false)
    await go()
    expect(await statusOf(running)).toBe(200)
    await disposed
    expect(testService.ledgerCalls).toEqual(["hold", "settle"])
    expect(await statusOf(execute(testService))).toBe(503)
    expect(await statusOf(testService.service.fetch(seamRequest("GET", "/health")))).toBe(503)
  })

  it("can be called repeatedly", async () => {
    const { service } = await openTestService()
    await Promise.all([service.dispose(), service.dispose()])
    expect(await service.dispose()).toBeUndefined()
  })
})

describe("openService", () => {
  it("rejects when a port cannot be built", async () => {
    const ports = Layer.mergeAll(
      layerMemoryStores,
      ProgramStore.layerMemory,
      Signer.layerFromSecret(Redacted.make(new Uint8Array(32).fill(1))),
      Layer.effect(ProgramRuntime, Effect.fail(new Error("no machine")))
    )
    await expect(openService({ network: { name: "testnet", chainId: "x" } }, ports)).rejects.toThrow("no machine")
  })

  it("reports the longest WebSocket message of any project", async () => {
    const withBody = (requestBytes: number) => openTestService({ options: { limits: { requestBytes } } })
    const testServices = [await openTestService(), await withBody(5_000), await withBody(10_000_000)]
    expect(testServices.map(({ service }) => service.maxMessageBytes)).toEqual([8_388_608, 8_388_608, 10_000_000])
    for (const { service } of testServices) await service.dispose()
  })

  it("keeps two services in one process separate", async () => {
    const [one, other] = [await openTestService(), await openTestService()]
    const crossed = seamRequest("GET", "/verify", { headers: { authorization: `Bearer ${one.key}` } })
    expect(await statusOf(one.service.fetch(crossed))).toBe(200)
    expect(await statusOf(other.service.fetch(crossed))).toBe(401)
    await one.service.dispose()
    expect(await statusOf(other.service.fetch(seamRequest("GET", "/health")))).toBe(200)
    await other.service.dispose()
  })
})
