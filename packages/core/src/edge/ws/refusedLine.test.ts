/** The log has a line for each upgrade that is refused: of a page of another origin, with where it came from and what it asked. */
import { HashMap, Layer, Logger } from "effect"
import { afterEach, expect, test } from "vitest"
import { AccessLog } from "../../services/logs/accessLog.ts"
import { askUpgrade } from "../../testdata/handSocket.ts"
import { openTestService, type OpenTestService, seamRequest } from "../../testdata/testService.ts"
import type { Service } from "../transport/seam.ts"

let opened: OpenTestService | undefined
let service: Service | undefined

afterEach(async () => {
  await service?.dispose()
  await opened?.service.dispose()
})

/** The lines about requests that `ask` leads to. */
const linesOf = async (ask: (service: Service, key: string) => Promise<unknown>): Promise<ReadonlyArray<object>> => {
  opened = await openTestService()
  const lines: Array<Record<string, unknown>> = []
  const logger = Logger.make<unknown, void>(({ annotations, message }) => {
    if (String(message) === "request") lines.push(Object.fromEntries(HashMap.toEntries(annotations)))
  })
  service = await opened.openAnother((stores) =>
    Layer.mergeAll(Layer.succeedContext(stores), Logger.add(logger), Layer.succeed(AccessLog, AccessLog.toLoggers(true)))
  )
  await ask(service, opened.key)
  return lines
}

const of = { part: "requests", request_id: expect.any(String), method: "GET", route: "/ws/v1" }

test("without a valid key", async () => {
  expect(await linesOf((ours) => askUpgrade(ours, "sibyl_none"))).toEqual([{ ...of, status: 401, reason: "Unauthorized" }])
})

test("none of one that is let in", async () => {
  expect(await linesOf(askUpgrade)).toEqual([])
})

test("of a page of another origin", async () => {
  const lines = await linesOf(async (ours, key) => {
    const asked = { headers: { authorization: `Bearer ${key}` }, body: "{}" }
    const { ticket } = JSON.parse(String((await ours.fetch(seamRequest("POST", "/tickets", asked)))?.body))
    const headers = { origin: "http://page.example", host: "oracle.example", "sec-websocket-protocol": `sibyl.ticket.${ticket}` }
    const answer = await ours.upgrade(seamRequest("GET", "/ws/v1", { headers }))
    expect(answer).toMatchObject({ status: 403, body: expect.stringContaining("nor that of the header Host") })
  })
  const where = { origin: "http://page.example", host: "oracle.example" }
  expect(lines.at(-1)).toEqual({ ...of, status: 403, reason: "OutsideTicket", ...where })
})
