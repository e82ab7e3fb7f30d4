/** Tickets: what they open over REST and WebSocket, what they do not, their budget, and the end of their key (decision D52). */
import { Effect, Redacted } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { readApiKey } from "../../domain/accounts/apiKey.ts"
import { handSocket } from "../../testdata/handSocket.ts"
import { eventually, type Said } from "../../testdata/rpcClient.ts"
import { layerTestPricing, openTestService, type OpenTestService, seamRequest } from "../../testdata/testService.ts"

let testService: OpenTestService

beforeAll(async () => {
  testService = await openTestService({ pricing: layerTestPricing, project: { limits: { connectionsPerKey: 50 } } })
})
afterAll(() => testService.service.dispose())

interface Answer {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly body: {
    readonly _tag?: string
    readonly message?: string
    readonly details?: Readonly<Record<string, unknown>>
    readonly ticket: string
    readonly ticketId: string
    readonly expiresAt: string
    readonly subprotocols: ReadonlyArray<string>
    readonly data: ReadonlyArray<unknown>
  }
}

const ask = async (method: string, url: string, bearer: string, more: { readonly origin?: string; readonly body?: object } = {}) => {
  const headers = { authorization: `Bearer ${bearer}`, ...(more.origin === undefined ? {} : { origin: more.origin }) }
  const body = more.body === undefined ? {} : { body: JSON.stringify(more.body) }
  const response = await testService.service.fetch(seamRequest(method, url, { headers, ...body }))
  const answer: Answer = { status: response?.status, headers: response?.headers ?? {}, body: JSON.parse(String(response?.body)) }
  return answer
}

const ticketFor = async (wish: object = {}): Promise<Answer["body"]> => {
  const { body, status } = await ask("POST", "/tickets", testService.key, { body: wish })
  expect(status, body.message).toBe(201)
  return body
}

const executeUrl = (): string => `/execute?execProgramId=${testService.execProgramId}&tallyProgramId=${testService.tallyProgramId}`

const upgrade = (headers: Readonly<Record<string, string>>) => testService.service.upgrade(seamRequest("GET", "/ws/v1", { headers }))

const offered = ({ subprotocols }: Answer["body"], more: Readonly<Record<string, string>> = {}) =>
  upgrade({ "sec-websocket-protocol": subprotocols.join(", "), ...more })

const openWith = async (ticket: Answer["body"]) => {
  const opening = await offered(ticket)
  if (typeof opening !== "function") throw new Error(`refused with ${opening?.status}`)
  expect(opening.protocol).toBe("sibyl.v1")
  const socket = handSocket(opening)
  const said = () => socket.texts.map((text) => JSON.parse(text) as Said)
  let asked = 0
  const call = (method: string, params: object) => {
    const id = `c${(asked += 1)}`
    socket.peer.message(JSON.stringify({ jsonrpc: "2.0", id, method, params }))
    return eventually(() => said().find((each) => each.id === id), method)
  }
  return { socket, call, said }
}

const execute = () => ({ execProgramId: testService.execProgramId, tallyProgramId: testService.tallyProgramId })

describe("a new ticket", () => {
  it("is shown once with what a browser needs, and not to be kept by caches", async () => {
    const { body, headers, status } = await ask("POST", "/tickets", testService.key, { body: {} })
    expect([status, headers["cache-control"]]).toEqual([201, "no-store"])
    expect(body.ticket).toMatch(/^sibylt_testnet_[0-9a-f]{16}_[0-9a-f]{56}$/)
    expect(body.subprotocols).toEqual(["sibyl.v1", `sibyl.ticket.${body.ticket}`])
    const leftMs = Date.parse(body.expiresAt) - Date.now()
    expect(leftMs).toBeGreaterThan(0)
    expect(leftMs).toBeLessThanOrEqual(60_000)
  })

  it.each<[object, string]>([
    [{ expiresInMs: 999 }, "expiresInMs"],
    [{ expiresInMs: 3_600_001 }, "expiresInMs"],
    [{ maxUses: 0 }, "maxUses"],
    [{ maxUses: "1" }, "maxUses"],
    [{ allow: [] }, "allow"],
    [{ allow: ["admin"] }, "allow"],
    [{ programs: ["x"] }, "programs"],
    [{ origins: ["https://app.example/"] }, "origins"],
    [{ origins: ["null"] }, "origins"],
    [{ maxCredits: "0" }, "maxCredits"],
    [{ maxCredits: 5 }, "maxCredits"],
    [{ maxCredit: "5" }, "maxCredit"],
    [{ alow: ["read"] }, "alow"],
    [{ allow: ["read"], scope: "read" }, "scope"]
  ])("is refused for %j", async (body, parameter) => {
    const answer = await ask("POST", "/tickets", testService.key, { body })
    expect([answer.status, answer.body._tag, answer.body.details?.["parameter"]]).toEqual([400, "InvalidParameter", parameter])
  })

  it("names deployed programs only", async () => {
    const answer = await ask("POST", "/tickets", testService.key, { body: { programs: ["ab".repeat(32)] } })
    expect([answer.status, answer.body._tag]).toEqual([404, "ProgramNotFound"])
  })

  it("is not made with a ticket", async () => {
    const { ticket } = await ticketFor()
    const answer = await ask("POST", "/tickets", ticket, { body: {} })
    expect([answer.status, answer.body._tag]).toEqual([403, "OutsideTicket"])
  })
})

describe("a ticket over REST", () => {
  it("opens as many requests as it has uses, also if they are the same GET", async () => {
    const { ticket } = await ticketFor({ maxUses: 2 })
    const url = `${executeUrl()}&returnLastResult=true`
    const answers = [await ask("GET", url, ticket), await ask("GET", url, ticket), await ask("GET", url, ticket)]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 401])
  })

  it("does only what it allows", async () => {
    const allowed = { execute: ["GET", executeUrl()], read: ["GET", "/verify"], feeds: ["GET", "/feeds"] } as const
    for (const [scope] of Object.entries(allowed)) {
      for (const [other, [method, url]] of Object.entries(allowed)) {
        const { ticket } = await ticketFor({ allow: [scope] })
        const { body, status } = await ask(method, url, ticket)
        expect([scope, other, status, body._tag]).toEqual([
          scope,
          other,
          ...(scope === other ? [200, other === "execute" ? "ExecuteResponse" : undefined] : [403, "OutsideTicket"])
        ])
      }
    }
  })

  it("reads quotes, and neither the project nor durable feeds are its business", async () => {
    const { ticket } = await ticketFor({ allow: ["read"], maxUses: 9 })
    expect((await ask("GET", `${executeUrl()}&dryRun=true`, ticket)).status).toBe(200)
    for (const [method, url] of [
      ["GET", "/project"],
      ["POST", "/feeds"],
      ["DELETE", "/feeds/x"]
    ] as const) {
      expect((await ask(method, url, ticket)).body._tag, url).toBe("OutsideTicket")
    }
  })

  it("runs only its programs", async () => {
    const { ticket } = await ticketFor({ programs: [testService.execProgramId], maxUses: 5 })
    const answer = await ask("GET", executeUrl(), ticket)
    expect([answer.status, answer.body._tag, answer.body.details]).toEqual([
      403,
      "OutsideTicket",
      { programId: testService.tallyProgramId }
    ])
    const alone = await ask("GET", `/execute?execProgramId=${testService.execProgramId}`, ticket)
    expect(alone.status).toBe(200)
    const last = await ask("GET", `/execute/last-result?${executeUrl().slice("/execute?".length)}`, ticket)
    expect(last.body._tag).toBe("OutsideTicket")
  })

  it("reads runs and durable feeds of its programs only", async () => {
    const run = await ask("GET", executeUrl(), testService.key)
    const { drId } = (run.body.data as unknown as { readonly dataResult: { readonly drId: string } }).dataResult
    const ids: Array<string> = []
    for (const programs of [execute(), { execProgramId: testService.execProgramId }]) {
      const feed = { mode: "FIXED", periodicityMs: 60_000, execute: programs }
      const made = await ask("POST", "/feeds", testService.key, { body: feed })
      ids.push((made.body as unknown as { readonly feedId: string }).feedId)
    }
    const [both = "", alone = ""] = ids
    const shownTo = async (ticket: string) => {
      const { body } = await ask("GET", "/feeds", ticket)
      return body.data.map((feed) => (feed as { readonly feedId: string }).feedId)
    }
    const outside = { _tag: "OutsideTicket", details: { programId: testService.tallyProgramId } }
    const few = await ticketFor({ programs: [testService.execProgramId], maxUses: 9 })
    expect((await ask("GET", `/data-request-reports?drId=${drId}`, few.ticket)).body).toMatchObject(outside)
    expect(await shownTo(few.ticket)).toEqual([alone])
    expect((await ask("GET", `/feeds/${both}`, few.ticket)).body).toMatchObject(outside)
    expect((await ask("GET", `/feeds/${alone}`, few.ticket)).status).toBe(200)
    const whole = await ticketFor({ maxUses: 9 })
    expect((await ask("GET", `/data-request-reports?drId=${drId}`, whole.ticket)).body.data.length).toBeGreaterThan(0)
    expect(await shownTo(whole.ticket)).toEqual(ids)
    expect((await ask("GET", `/feeds/${both}`, whole.ticket)).status).toBe(200)
    for (const feedId of ids) expect((await ask("DELETE", `/feeds/${feedId}`, testService.key)).status).toBe(200)
  })

  it("is valid for its origins only", async () => {
    const { ticket } = await ticketFor({ origins: ["https://app.example"] })
    expect((await ask("GET", "/verify", ticket)).body._tag).toBe("OutsideTicket")
    expect((await ask("GET", "/verify", ticket, { origin: "https://evil.example" })).body._tag).toBe("OutsideTicket")
    expect((await ask("GET", "/verify", ticket, { origin: "https://app.example" })).status).toBe(200)
  })

  it("is refused if it was changed, and never echoed", async () => {
    const { ticket } = await ticketFor()
    const changed = `${ticket.slice(0, -1)}${ticket.endsWith("0") ? "1" : "0"}`
    const { body, status } = await ask("GET", "/verify", changed)
    expect([status, body._tag]).toEqual([401, "Unauthorized"])
    expect(body.message).not.toContain("sibylt_")
  })

  it("is told from one that is over also where no ticket helps, without a use", async () => {
    const { ticket } = await ticketFor()
    expect((await ask("GET", "/project", ticket)).body).toMatchObject({ _tag: "OutsideTicket", details: { allow: [] } })
    expect((await ask("GET", "/verify", ticket)).status).toBe(200)
    expect((await ask("GET", "/project", ticket)).status).toBe(401)
  })

  it("spends no more than its budget, however many runs there are at once", async () => {
    const { ticket, ticketId } = await ticketFor({ maxUses: 30, maxCredits: "7" })
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask("GET", executeUrl(), ticket)))
    const refused = answers.filter(({ status }) => status === 403)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(7)
    expect(refused).toHaveLength(13)
    expect(refused[0]?.body).toMatchObject({ _tag: "InsufficientCredits", details: { required: "1", remaining: "0", ticketId } })
  })
})

describe("a ticket over WebSocket", () => {
  it("opens a connection by its subprotocol, once, and selects the other one", async () => {
    const ticket = await ticketFor({ programs: [testService.execProgramId, testService.tallyProgramId] })
    const { call, socket } = await openWith(ticket)
    expect((await call("feed.execute", execute())).result).toBeDefined()
    expect((await call("feed.start", { mode: "FIXED", periodicityMs: 60_000, share: true, execute: execute() })).result).toBeDefined()
    const again = await offered(ticket)
    expect(again).toMatchObject({ status: 401 })
    expect(JSON.stringify(again)).not.toContain(ticket.ticket)
    socket.peer.closed(1000, "")
  })

  it("allows what it says, and what it says only", async () => {
    const feeds = await openWith(await ticketFor({ allow: ["feeds"] }))
    expect((await feeds.call("feed.execute", execute())).error?._tag).toBe("OutsideTicket")
    expect((await feeds.call("feed.start", { mode: "FIXED", periodicityMs: 60_000, execute: execute() })).result).toBeDefined()
    feeds.socket.peer.closed(1000, "")
    const runs = await openWith(await ticketFor({ allow: ["execute"], programs: [testService.execProgramId] }))
    expect((await runs.call("feed.start", { mode: "FIXED", periodicityMs: 60_000, execute: execute() })).error?._tag).toBe("OutsideTicket")
    expect((await runs.call("feed.follow", { feedId: "x" })).error?._tag).toBe("OutsideTicket")
    expect((await runs.call("feed.execute", execute())).error?._tag).toBe("OutsideTicket")
    runs.socket.peer.closed(1000, "")
    expect(await offered(await ticketFor({ allow: ["read"] }))).toMatchObject({ status: 403 })
  })

  it("pays for its feeds from its budget, and shares none with others", async () => {
    const open = () => ticketFor({ maxCredits: "2" }).then(openWith)
    const [one, other] = [await open(), await open()]
    const start = { mode: "SEQUENTIAL", periodicityMs: 10, share: true, execute: execute() }
    await Promise.all([one.call("feed.start", start), other.call("feed.start", start)])
    for (const { said, socket } of [one, other]) {
      await eventually(() => said().find(({ params }) => params?.error?._tag === "InsufficientCredits"), "the end of the budget")
      expect(said().filter(({ method, params }) => method === "feed.result" && params?.result !== undefined)).toHaveLength(2)
      socket.peer.closed(1000, "")
    }
  })

  it("selects the protocol that a key's client offers, and none for a client that offers none", async () => {
    const authorization = `Bearer ${testService.key}`
    const protocolOf = async (headers: Readonly<Record<string, string>>) => {
      const opening = await upgrade({ authorization, ...headers })
      return typeof opening === "function" ? opening.protocol : opening?.status
    }
    expect(await protocolOf({ "sec-websocket-protocol": "chat, sibyl.v1" })).toBe("sibyl.v1")
    expect(await protocolOf({ "sec-websocket-protocol": "chat" })).toBeUndefined()
    expect(await protocolOf({})).toBeUndefined()
  })

  it("ends with its key", async () => {
    const issued = await Effect.runPromise(testService.keys.issue(testService.project.projectId))
    const key = Redacted.value(issued.key)
    const made = await ask("POST", "/tickets", key, { body: { maxUses: 3 } })
    const { socket } = await openWith(made.body)
    await Effect.runPromise(testService.keys.revoke(readApiKey(key)?.apiKeyId ?? ""))
    await eventually(() => socket.closeFrames[0], "the connection is closed")
    expect(socket.closeFrames[0]?.[0]).toBe(1008)
    expect((await ask("GET", "/verify", made.body.ticket)).status).toBe(401)
  })
})
