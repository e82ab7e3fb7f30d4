/** The whole service over Bun's own sockets conforms under any traffic. */
import { conforms, type PlayedSequence, remoteOperator } from "@sibyl/testing"
import { soakCount } from "@sibyl/testing/soak"
import fc from "fast-check"
import { afterAll, beforeAll, expect, it } from "vitest"
import type { SocketServer } from "./testdata/auditedSocketServer.ts"
import { type Started, startOnBun } from "./testdata/bunProcess.ts"

let server: Started<SocketServer>
beforeAll(async () => {
  server = await startOnBun<SocketServer>("auditedSocketServer")
})
afterAll(() => server.stop())

it("answers as the history allows", { timeout: 3_600_000 }, async () => {
  const { operatorUrl, target } = server.known
  const { freshKey, revoke } = remoteOperator(operatorUrl)
  const messages: Array<string> = []
  const onSequence = ({ history }: PlayedSequence): void => {
    for (const { heard } of history.sockets) for (const { text } of heard) messages.push(text)
  }
  const property = conforms({ ...target, operator: { makeKey: () => freshKey(), revokeKey: revoke } }, { onSequence })
  await fc.assert(property, { numRuns: soakCount({ everyday: 12, full: 300 }) })
  expect(messages.join("\n")).toContain('"method":"authorized"')
})
