/** The bound of all idle connections together. */
import { PassThrough } from "node:stream"
import { expect, it } from "vitest"
import { IdleConnections } from "./idleConnections.ts"

const opened = (count: number): ReadonlyArray<PassThrough> => Array.from({ length: count }, () => new PassThrough())

it("more idle connections than there may be close the one that has been idle for longest", () => {
  const idle = new IdleConnections(2)
  const connections = opened(4)
  for (const connection of connections) idle.add(connection)
  expect(connections.map(({ destroyed }) => destroyed)).toEqual([true, true, false, false])
  expect(idle.size).toBe(2)
})

it("connections in use do not count, nor do closed ones", async () => {
  const idle = new IdleConnections(2)
  const [inUse, closed, third, fourth] = opened(4)
  if (inUse === undefined || closed === undefined || third === undefined || fourth === undefined) throw new Error("four were opened")
  idle.add(inUse)
  idle.remove(inUse)
  idle.add(closed)
  const isClosed = new Promise((resolve) => closed.once("close", resolve))
  closed.destroy()
  await isClosed
  expect(idle.size).toBe(0)
  idle.add(third)
  idle.add(fourth)
  expect([inUse.destroyed, third.destroyed, fourth.destroyed]).toEqual([false, false, false])
  expect([inUse.listenerCount("close"), idle.size]).toEqual([0, 2])
})
