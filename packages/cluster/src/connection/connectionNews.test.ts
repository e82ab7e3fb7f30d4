/** A server that refuses us for hours is two lines of the log, and one when it lets us in again. */
import { errors, type Status } from "@nats-io/transport-node"
import { Effect, Logger } from "effect"
import { expect, it } from "vitest"
import { ConnectionNews } from "./connectionNews.ts"

const lost: Status = { type: "disconnect", server: "127.0.0.1:4222" }
const back: Status = { type: "reconnect", server: "127.0.0.1:4222" }
const refused = { type: "error", error: new Error("Authorization Violation") } satisfies Status

const linesOf = (statuses: ReadonlyArray<Status>): ReadonlyArray<string> => {
  const lines: Array<string> = []
  const logger = Logger.replace(
    Logger.defaultLogger,
    Logger.make(({ message }) => void lines.push(String(message)))
  )
  const news = new ConnectionNews()
  Effect.runSync(
    Effect.provide(
      Effect.forEach(statuses, (status) => news.take(status)),
      logger
    )
  )
  return lines
}

it("tells each change once, however often the client tries", () => {
  const attempts = Array.from({ length: 200 }, () => [refused, lost]).flat()
  const once = ["the connection to NATS at 127.0.0.1:4222 is lost", "NATS reports: Authorization Violation"]
  const again = "connected to NATS at 127.0.0.1:4222 again"
  expect(linesOf([lost, ...attempts, back, back, back])).toEqual([...once, again])
  expect(linesOf([lost, ...attempts, back, lost, ...attempts])).toEqual([...once, again, ...once])
})

it("tells different errors, and forgets the oldest of very many", () => {
  const errors = Array.from({ length: 250 }, (_, at): Status => ({ type: "error", error: new Error(`no right to ${at}`) }))
  expect(linesOf([...errors, ...errors.slice(240)])).toHaveLength(250)
  expect(linesOf([...errors, ...errors.slice(0, 1)])).toHaveLength(251)
})

it("tells a permission that is missing once, however many inboxes it is missing for", () => {
  const forbidden = (operation: "publish" | "subscription", subject: string): Status => {
    return { type: "error", error: new errors.PermissionViolationError("Permissions Violation", operation, subject) }
  }
  const inboxes = Array.from({ length: 250 }, (_, at) => forbidden("publish", `_INBOX.edge.${at}`))
  const subscriptions = ["_INBOX.edge.*", "a.b", "a.b"].map((subject) => forbidden("subscription", subject))
  expect(linesOf([...inboxes, ...subscriptions, ...inboxes])).toEqual(
    ["publish to _INBOX.>", "subscribe to _INBOX.edge.*", "subscribe to a.b"].map((what) => `NATS does not let this user ${what}`)
  )
})

it("knows whether there is a connection", () => {
  const news = new ConnectionNews()
  const states = [lost, refused, back, { type: "close" } satisfies Status].map((status) => {
    news.take(status)
    return news.isUp
  })
  expect(states).toEqual([false, false, true, false])
})
