/** A server of Node without Express: the service under its prefix, and what answers everything else. */
import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { fetchOf, type Service, type ServiceRequest } from "@sibyl/core"
import express from "express"
import { afterEach, expect, it } from "vitest"
import { attachUpgrades } from "./attachUpgrades.ts"
import { sibyl } from "./index.ts"
import { type ListenerOptions, nodeListener } from "./nodeListener.ts"

/** Knows one path, `/known`, and answers with what it was sent. */
const service: Service = {
  fetch: async (request: ServiceRequest) => {
    if (!request.url.startsWith("/known")) return undefined
    const body = new TextDecoder().decode(await request.body(1_000))
    return { status: 201, headers: { "x-method": request.method }, body: `${request.url} ${body}` }
  },
  upgrade: () => Promise.resolve(undefined),
  maxMessageBytes: 1_000,
  dispose: () => Promise.resolve()
}

const ends: Array<() => void> = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

const listen = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  ends.push(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

it("answers with the service below its prefix, and with 404 elsewhere", async () => {
  const url = await listen(nodeListener(service, { prefix: "/oracle" }))
  const answered = await fetch(`${url}/oracle/known?a=1`, { method: "POST", body: "text" })
  expect([answered.status, answered.headers.get("x-method"), await answered.text()]).toEqual([201, "POST", "/known?a=1 text"])
  const head = await fetch(`${url}/oracle/known`, { method: "HEAD" })
  expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([201, String("/known ".length), ""])
  for (const path of ["/known", "/oracles/known", "/oracle/unknown"]) expect((await fetch(`${url}${path}`)).status, path).toBe(404)
})

it("leaves paths that are not the service's to another listener, with their bodies unread", async () => {
  const elsewhere: RequestListener = (request, response) => {
    let text = ""
    request.setEncoding("utf8").on("data", (piece: string) => (text += piece))
    request.on("end", () => response.writeHead(202).end(`${request.url} ${text}`))
  }
  const url = await listen(nodeListener(service, { elsewhere }))
  expect((await fetch(`${url}/known`)).status).toBe(201)
  const other = await fetch(`${url}/other`, { method: "POST", body: "kept" })
  expect([other.status, await other.text()]).toEqual([202, "/other kept"])
})

it("answers before it returns what the service has at hand, alone and in Express", async () => {
  const remembering: Service = { ...service, fetch: fetchOf(({ url }) => ({ status: 200, headers: {}, body: `known: ${url}` })) }
  const ended: Array<boolean> = []
  const watched =
    (listener: RequestListener): RequestListener =>
    (request, response) => {
      listener(request, response)
      ended.push(response.writableEnded)
    }
  for (const listener of [nodeListener(remembering), express().use(sibyl(remembering))]) {
    expect(await (await fetch(`${await listen(watched(listener))}/a`)).text()).toBe("known: /a")
  }
  expect(ended).toEqual([true, true])
})

it("refuses options that are none, by their names", () => {
  const refused = (option: string) => expect.objectContaining({ _tag: "InvalidOption", option })
  const withOptions = (options: unknown) => () => nodeListener(service, options as ListenerOptions)
  for (const none of [null, 5]) expect(withOptions(none)).toThrow(refused("options"))
  for (const elsewhere of [null, "/other"]) expect(withOptions({ elsewhere })).toThrow(refused("elsewhere"))
  expect(withOptions({ elsewere: () => {} })).toThrow(refused("elsewere"))
  expect(withOptions({ prefix: "oracle" })).toThrow(refused("prefix"))
  expect(withOptions({ elsewhere: undefined })()).toBeTypeOf("function")
})

it("is of a service, and upgrades are of a server: what is mistaken for one is refused", () => {
  const refused = (option: string) => expect.objectContaining({ _tag: "InvalidOption", option })
  const noService = { service } as unknown as Service
  expect(() => nodeListener(noService)).toThrow(refused("service"))
  expect(() => sibyl(noService)).toThrow(refused("service"))
  const server = createServer()
  expect(() => attachUpgrades(server, noService)).toThrow(refused("service"))
  expect(() => attachUpgrades(express() as unknown as Server, service)).toThrow(refused("server"))
  attachUpgrades(server, service)
  expect(server.listenerCount("upgrade")).toBe(1)
})
