/** Prefetched requests and the others do not share their bounds. */
import { expect, it } from "vitest"
import { maxProjectBytesReading } from "./answerBytes.ts"
import { openConnections } from "./connections.ts"

it("answers to prefetched requests take no memory from the other answers of their project", () => {
  const connections = openConnections({})
  expect(connections.roomFor(true).take("project", maxProjectBytesReading)).toBe(true)
  expect(connections.roomFor(true).take("project", 1)).toBe(false)
  expect(connections.roomFor(false).take("project", maxProjectBytesReading)).toBe(true)
  expect(connections.roomFor(false).take("project", 1)).toBe(false)
  connections.close()
})
