/** Starts that a service leaves out because a connection had too many refused runs break no rule (decision D41). */
import { expect, test } from "vitest"
import type { Command } from "./commands/command.ts"
import { playSequence } from "./conforms.ts"
import { openSimTarget } from "./sim/openSimTarget.ts"

const start = (mode: string, periodicityMs: number, execInputs: string): Command => ({
  kind: "request",
  socket: 0,
  method: "feed.start",
  params: JSON.stringify({ execute: { execProgramId: "«program echo»", execInputs }, mode, periodicityMs }),
  waits: true
})

test.each(["FIXED", "SEQUENTIAL", "PARALLEL"])("two %s feeds of a tenant without credits", async (mode) => {
  // The second tenant's credits are used up after some fifty runs.
  const connect: Command = { kind: "connect", who: { tenant: 1, key: 0 } }
  const commands = [connect, start(mode, 10, "slow 400"), start(mode, 11, "a"), { kind: "pass", ms: 6_000 } as const]
  const { history, violations } = await playSequence(openSimTarget(), commands)
  const refused = history.sockets[0]?.heard.filter(({ text }) => text.includes("InsufficientCredits")) ?? []
  expect(refused.length).toBeGreaterThan(400)
  // Some were left out: each feed alone would have been refused nearly as often.
  expect(refused.length).toBeLessThan(900)
  expect(violations).toEqual([])
})
