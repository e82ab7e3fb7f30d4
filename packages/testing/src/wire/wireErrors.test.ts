/** The table of errors is what core declares: by the classes of its errors, its OpenAPI document and its AsyncAPI document. */
import * as core from "@sibyl/core"
import { layerProgramRuntime } from "@sibyl/vm"
import { Layer } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { at } from "../audits/rest/call.ts"
import { type MemoryService, openMemoryService } from "../memoryService.ts"
import { errorsOfRunsWithout, wireErrors } from "./wireErrors.ts"

let memory: MemoryService
/** The status that the OpenAPI document has a tag under. */
const documented = new Map<string, number>()
/** The code that the AsyncAPI document has of a tag. */
let codes: ReadonlyMap<string, number>
/** The status of a refused upgrade by tag, from the AsyncAPI document. */
let refusals: ReadonlyMap<string, number>

const byTag = (rows: unknown): ReadonlyMap<string, number> => {
  const listed = rows as ReadonlyArray<{ readonly code: number; readonly tag: string }>
  return new Map(listed.map(({ code, tag }) => [tag, code]))
}

beforeAll(async () => {
  memory = await openMemoryService(layerProgramRuntime({ workers: 1 }).pipe(Layer.provide(core.HttpFetch.layerClosed)))
  const handle = core.toWebHandler(memory.service)
  const document = async (name: string): Promise<unknown> => (await handle(new Request(`http://service/docs/${name}`)))?.json()
  const methods = Object.values(Object(at(await document("openapi.json"), "paths"))).flatMap((path) => Object.values(Object(path)))
  for (const [status, answer] of methods.flatMap((method) => Object.entries(Object(at(method, "responses"))))) {
    for (const [, tag = ""] of JSON.stringify(answer).matchAll(/schemas\/(\w+)"/g)) documented.set(tag, Number(status))
  }
  const channel = at(await document("asyncapi.json"), "channels", "feeds")
  codes = byTag(at(channel, "x-errors"))
  refusals = byTag(at(channel, "x-upgrade-refusals"))
})
afterAll(() => memory.close())

const isError = (exported: unknown): exported is { readonly status: number; readonly rpcCode: number } =>
  typeof exported === "function" && "status" in exported && "rpcCode" in exported

/** The errors that core exports, by tag, with all that they could be sent as. */
const classes = Object.entries(core).flatMap(([tag, exported]) => (isError(exported) ? [[tag, exported] as const] : []))

const declared = (): Readonly<Record<string, object>> => {
  const tags = new Set([...classes.map(([tag]) => tag), ...codes.keys()])
  const known = new Map(classes)
  return Object.fromEntries(
    [...tags].map((tag) => {
      const status = known.get(tag)?.status ?? documented.get(tag)
      const code = codes.get(tag)
      const isOverHttp = documented.has(tag) || refusals.has(tag) || code === undefined
      return [tag, { ...(isOverHttp ? { status } : {}), ...(code === undefined ? {} : { code }) }]
    })
  )
}

describe("the table of errors", () => {
  it("has each error that core declares, with its status if HTTP can carry it and its code if JSON-RPC can, and no other", () => {
    expect(classes.length).toBeGreaterThan(20)
    // Sibyl closes the connection without this error; a service that answers first is right, too.
    const declaredOnly = { Unauthorized: { status: 401, code: core.Unauthorized.rpcCode } }
    expect(wireErrors).toEqual({ ...declared(), ...declaredOnly })
  })

  it("has what core's classes would send, where its documents have it", () => {
    for (const [tag, { rpcCode, status }] of classes) {
      expect(documented.get(tag) ?? status, tag).toBe(status)
      expect(refusals.get(tag) ?? status, tag).toBe(status)
      expect(codes.get(tag) ?? rpcCode, tag).toBe(rpcCode)
    }
  })

  it("is left without what has no reason, and without what other requests are answered with", () => {
    const left = errorsOfRunsWithout("InternalError")
    expect(left).toMatchObject({ Overloaded: { status: 503, code: 36_053 }, FailedExecutionResponse: { status: 599, code: 36_001 } })
    for (const tag of ["InternalError", "NotFound", "OutsideTicket", "toString"]) expect(left[tag]?.status, tag).toBeUndefined()
    expect(errorsOfRunsWithout()["InternalError"]).toEqual({ status: 500, code: 36_000 })
  })
})
