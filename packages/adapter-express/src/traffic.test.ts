/** The whole service over Express conforms under any traffic. */
import { conforms, type PlayedSequence } from "@sibyl/testing"
import { soakCount } from "@sibyl/testing/soak"
import fc from "fast-check"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type AuditedServer, startAuditedServer } from "./testdata/auditedSocketServer.ts"

let server: AuditedServer
beforeAll(async () => {
  server = await startAuditedServer()
})
afterAll(() => server.stop())

it("answers as the history allows", { timeout: 3_600_000 }, async () => {
  const { operator, ...target } = server.target
  if (operator === undefined) throw new Error("the target has no operator")
  const messages: Array<string> = []
  const onSequence = ({ history }: PlayedSequence): void => {
    for (const { heard } of history.sockets) for (const { text } of heard) messages.push(text)
  }
  const property = conforms({ ...target, operator: { makeKey: () => operator.freshKey(), revokeKey: operator.revoke } }, { onSequence })
  await fc.assert(property, { numRuns: soakCount({ everyday: 12, full: 300 }) })
  expect(messages.join("\n")).toContain('"method":"authorized"')
})

it("on one project that has a past", { timeout: 600_000 }, async () => {
  const { apiKey, baseUrl, programs } = server.target
  const statuses: Array<number> = []
  const onSequence = ({ history }: PlayedSequence): void => {
    for (const { answer } of history.calls) if (answer !== undefined) statuses.push(answer.status)
  }
  await fc.assert(conforms({ apiKey, baseUrl, programs }, { onSequence }), { numRuns: soakCount({ everyday: 6, full: 60 }) })
  expect(statuses).toContain(200)
})
