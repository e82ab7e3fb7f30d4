/** Pages of other origins: preflights, which answers they may read, and which WebSockets they may open. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { InvalidOption } from "../../domain/settings/invalidOption.ts"
import { openTestService, type OpenTestService, seamRequest } from "../../testdata/testService.ts"
import { routesOf } from "./routes.ts"

const [app, evil] = ["https://app.example", "https://evil.example"]
const ownHost = "oracle.example:8717"

let open: OpenTestService
let closed: OpenTestService

beforeAll(async () => {
  open = await openTestService({ options: { allowedOrigins: [app] } })
  closed = await openTestService()
})
afterAll(() => Promise.all([open, closed].map(({ service }) => service.dispose())))

type Headers = Readonly<Record<string, string>>

const ask = async ({ service }: OpenTestService, method: string, url: string, headers: Headers = {}, body?: string) => {
  const response = await service.fetch(seamRequest(method, url, { headers, ...(body === undefined ? {} : { body }) }))
  return { status: response?.status, headers: response?.headers ?? {}, body: String(response?.body) }
}

const preflight = (at: OpenTestService, url: string, origin: string, method = "POST") =>
  ask(at, "OPTIONS", url, { origin, "access-control-request-method": method, "access-control-request-headers": "authorization" })

const readableBy = ({ headers }: { readonly headers: Headers }) => headers["access-control-allow-origin"]

/** Each path with something in place of its parameters. */
const paths = [...routesOf()].map(([pattern, methods]) => ({ methods, url: pattern.replaceAll(/:\w+/g, "x") }))

describe("a page of an allowed origin", () => {
  it("is told by a preflight what it may send to each path", async () => {
    for (const { methods, url } of paths) {
      const { headers, status } = await preflight(open, url, app)
      expect({ url, status }).toEqual({ url, status: 200 })
      const allowed = headers["access-control-allow-methods"]?.split(", ") ?? []
      expect(allowed).toEqual(expect.arrayContaining([...methods.keys()]))
      expect(headers).toMatchObject({
        "access-control-allow-origin": app,
        "access-control-allow-headers": expect.stringMatching(/authorization.*content-type.*idempotency-key/),
        "access-control-max-age": "600",
        vary: expect.stringContaining("origin")
      })
      expect(headers["access-control-allow-credentials"]).toBeUndefined()
    }
  })

  it("may read answers, refusals too, with what clients need of their headers", async () => {
    const authorization = `Bearer ${open.key}`
    const good = await ask(open, "GET", "/verify", { origin: app, authorization })
    const refused = await ask(open, "GET", "/verify", { origin: app, authorization: "Bearer nobody" })
    const missing = await ask(open, "PUT", "/execute", { origin: app, authorization })
    expect([good, refused, missing].map(({ status }) => status)).toEqual([200, 401, 405])
    for (const answer of [good, refused, missing]) {
      expect(readableBy(answer)).toBe(app)
      expect(answer.headers["access-control-expose-headers"]).toMatch(/idempotency-replayed.*retry-after.*x-request-id/)
      expect(answer.headers["vary"]).toContain("origin")
    }
  })
})

describe("a page of another origin", () => {
  it("gets no preflight answered and reads nothing, but for what takes no key", async () => {
    for (const at of [open, closed]) {
      for (const { methods, url } of paths) {
        const isOpen = [...methods.values()].every(({ needsKey }) => !needsKey)
        const answer = await preflight(at, url, evil)
        expect({ url, status: answer.status, by: readableBy(answer) }).toEqual(
          isOpen ? { url, status: 200, by: "*" } : { url, status: 405, by: undefined }
        )
      }
      expect(readableBy(await ask(at, "GET", "/verify", { origin: evil, authorization: `Bearer ${at.key}` }))).toBeUndefined()
      for (const url of ["/health", "/info", "/docs/openapi.json"])
        expect(readableBy(await ask(at, "GET", url, { origin: evil }))).toBe("*")
      expect(readableBy(await ask(at, "GET", "/health", { origin: "null" }))).toBe("*")
      expect((await preflight(at, "/nowhere", evil)).status).toBeUndefined()
    }
  })
})

it("without an origin nothing is different, but that stored answers depend on it where there is a list", async () => {
  for (const url of ["/health", "/verify"]) {
    const [listed, plain] = [await ask(open, "GET", url), await ask(closed, "GET", url)]
    expect(readableBy(plain) ?? readableBy(listed)).toBeUndefined()
    expect([listed.headers["vary"]?.includes("origin"), plain.headers["vary"]?.includes("origin") ?? false]).toEqual([true, false])
  }
  expect((await ask(open, "OPTIONS", "/execute")).status).toBe(405)
})

describe("an upgrade", () => {
  const ticketFor = async (at: OpenTestService, wish: object): Promise<string> => {
    const { body } = await ask(at, "POST", "/tickets", { authorization: `Bearer ${at.key}` }, JSON.stringify(wish))
    return (JSON.parse(body) as { readonly subprotocols: ReadonlyArray<string> }).subprotocols.join(", ")
  }
  const opened = async (at: OpenTestService, headers: Headers) => {
    const opening = await at.service.upgrade(seamRequest("GET", "/ws/v1", { headers: { host: ownHost, ...headers } }))
    return typeof opening === "function" ? "open" : opening?.status
  }
  const withTicket = async (at: OpenTestService, origin: string | undefined, wish: object = {}) =>
    opened(at, { "sec-websocket-protocol": await ticketFor(at, wish), ...(origin === undefined ? {} : { origin }) })

  it("with a ticket is for the service's own pages, allowed ones, and those that the ticket names", async () => {
    expect(await withTicket(open, undefined)).toBe("open")
    expect(await withTicket(open, `https://${ownHost}`)).toBe("open")
    expect(await withTicket(open, app)).toBe("open")
    expect(await withTicket(open, evil)).toBe(403)
    expect(await withTicket(open, "null")).toBe(403)
    expect(await withTicket(closed, app)).toBe(403)
    expect(await withTicket(closed, evil, { origins: [evil] })).toBe("open")
    expect(await withTicket(closed, app, { origins: [evil] })).toBe(403)
  })

  it("refused for its origin takes no use of the ticket", async () => {
    const offer = { "sec-websocket-protocol": await ticketFor(open, {}) }
    expect([await opened(open, { ...offer, origin: evil }), await opened(open, { ...offer, origin: app })]).toEqual([403, "open"])
  })

  it("with a key in its header comes from no page, whatever its origin", async () => {
    expect(await opened(open, { authorization: `Bearer ${open.key}`, origin: evil })).toBe("open")
  })
})

it("an option that is no origin is refused with its rule", async () => {
  for (const origin of ["*", "app.example", "https://app.example/", "https://app.example:443"]) {
    await expect(openTestService({ options: { allowedOrigins: [origin] } })).rejects.toThrow(InvalidOption)
  }
})
