/** Callers that disconnect while their runs wait for a worker: those runs never begin and cost nothing; a run that has begun is charged. */
import { setTimeout as sleep } from "node:timers/promises"
import { auditPrograms, dial } from "@sibyl/testing"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type RunningServer, Site, type Tenant } from "../crash/testdata/site.ts"
import { endlessFill } from "./testdata/endlessFill.ts"

/** The hold of a run in a project without data proxies (decision D31). */
const oneHold = 351

let site: Site
let server: RunningServer
let tenant: Tenant
let programs: { readonly endless: string; readonly echo: string }

beforeAll(async () => {
  site = await Site.open("SQLite", { workers: 1, limits: { execWallClockMs: 10_000 } })
  programs = { endless: await site.deploy(endlessFill), echo: await site.deploy(auditPrograms.echo) }
  tenant = await site.tenant(1_000_000n)
  server = await site.start()
})

afterAll(() => site.close())

const asked = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${server.url}${path}`, { ...init, headers: { authorization: `Bearer ${tenant.key}` } })

interface Credits {
  readonly used: number
  readonly held: number
}

const credits = async (): Promise<Credits> => {
  const { credits: found } = (await (await asked("/project")).json()) as { readonly credits: Readonly<Record<keyof Credits, string>> }
  return { used: Number(found.used), held: Number(found.held) }
}

const untilHeld = async (runs: number): Promise<Credits> => {
  for (;;) {
    const found = await credits()
    if (found.held === runs * oneHold) return found
    await sleep(10)
  }
}

/** A run whose caller can disconnect. */
const ask = (programId: string) => {
  const caller = new AbortController()
  const answer = asked(`/execute?execProgramId=${programId}`, { signal: caller.signal })
  return {
    hangUp: async (): Promise<void> => {
      caller.abort()
      await expect(answer).rejects.toThrow()
    }
  }
}

/** Requests two runs and a feed over a WebSocket, and closes it as soon as all three hold credits, besides `others` runs. */
const askAndClose = async (execProgramId: string, others: number): Promise<void> => {
  const { client } = await dial({ url: `${server.url}/ws/v1`, headers: { authorization: `Bearer ${tenant.key}` } })
  if (client === undefined) throw new Error("no WebSocket")
  const call = (id: string, method: string, params: object): void => client.sendText(JSON.stringify({ jsonrpc: "2.0", id, method, params }))
  const execute = { execProgramId }
  call("1", "feed.execute", execute)
  call("2", "feed.execute", execute)
  call("3", "feed.start", { mode: "SEQUENTIAL", periodicityMs: 60_000, execute })
  await untilHeld(others + 3)
  client.reset()
}

test("over REST and WebSocket, and what has begun is finished and charged", async () => {
  const first = await asked(`/execute?execProgramId=${programs.echo}`)
  const { data } = (await first.json()) as { readonly data: { readonly dataResult: { readonly drId: string } } }
  const { used: before } = await untilHeld(0)
  // It occupies the only worker from now on.
  const running = ask(programs.endless)
  await untilHeld(1)
  const waiting = ask(programs.echo)
  await untilHeld(2)
  await waiting.hangUp()
  await untilHeld(1)
  await askAndClose(programs.echo, 1)
  expect((await untilHeld(1)).used).toBe(before)
  await running.hangUp()
  const { used } = await untilHeld(0)
  // Ten seconds of worker time are 100 units of gas, and the base price is one.
  expect(used - before).toBeGreaterThanOrEqual(101)
  const reports = await asked(`/data-request-reports?drId=${data.dataResult.drId}`)
  const { data: runs } = (await reports.json()) as { readonly data: ReadonlyArray<unknown> }
  expect(runs).toHaveLength(1)
})
