/** Two server processes on one PostgreSQL and one NATS share a feed; the one that runs it is killed, and the other one goes on. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { auditPrograms, dial, startNats, whyNoNats, type WireClient } from "@sibyl/testing"
import { Effect, Exit, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { readLedgerTables } from "./testdata/ledgerTables.ts"
import { auditLedger } from "@sibyl/sql"
import { describePostgres, Site, type Tenant } from "./testdata/site.ts"

const script = fileURLToPath(new URL("../../../../bench/cluster/sharingServer.mjs", import.meta.url))
const network = { name: "testnet", chainId: "sibyl-1-test" }
const periodMs = 100
/** A replaced owner is noticed within 3 s; the test allows ten times that. */
const withinMs = 30_000

interface Result {
  readonly seq: number
  readonly result?: { readonly data: { readonly id: string } }
}

const paramsOf = (client: WireClient, method: string): ReadonlyArray<unknown> =>
  client.messages.filter(({ json }) => json["method"] === method).map(({ json }) => json["params"])

const resultsOf = (client: WireClient): ReadonlyArray<Result> => paramsOf(client, "feed.result") as ReadonlyArray<Result>

const textsFrom = (client: WireClient, seq: number, to: number): ReadonlyArray<string> =>
  client.messages
    .filter(({ json }) => {
      const own = (json["params"] as Result | undefined)?.seq ?? -1
      return json["method"] === "feed.result" && own >= seq && own < to
    })
    .map(({ text }) => text)

/** The numbers that a client was neither sent nor told to have missed, between its first and its last. */
const untold = (client: WireClient): number => {
  const seqs = resultsOf(client).map(({ seq }) => seq)
  const missed = (paramsOf(client, "feed.gap") as ReadonlyArray<{ readonly missed: number }>).reduce((sum, gap) => sum + gap.missed, 0)
  return (seqs.at(-1) ?? 0) - (seqs[0] ?? 0) + 1 - seqs.length - missed
}

describePostgres("servers that share feeds", () => {
  describe.skipIf(whyNoNats !== undefined)(whyNoNats ?? "over NATS", () => {
    const scope = Effect.runSync(Scope.make())
    let site: Site
    let tenant: Tenant
    let nats: string
    let programId: string

    beforeAll(async () => {
      site = await Site.open("PostgreSQL")
      nats = (await Effect.runPromise(Scope.extend(startNats(), scope))).url
      programId = await site.deploy(auditPrograms.echo)
      tenant = await site.tenant(1_000_000n)
    })
    afterAll(async () => {
      await Effect.runPromise(Scope.close(scope, Exit.void))
      await site.close()
    })

    const startServer = async () => {
      const child = spawn(process.execPath, [script, JSON.stringify({ database: site.database, nats, network })], {
        stdio: ["pipe", "pipe", "inherit"]
      })
      const ended = once(child, "exit")
      const end = async (signal: NodeJS.Signals): Promise<void> => {
        child.kill(signal)
        await ended
      }
      await Effect.runPromise(
        Scope.addFinalizer(
          scope,
          Effect.promise(() => end("SIGKILL"))
        )
      )
      const [url] = (await Promise.race([once(createInterface({ input: child.stdout }), "line"), ended])) as [string]
      return { url, end, pause: () => child.kill("SIGSTOP"), goOn: () => child.kill("SIGCONT") }
    }

    const subscribe = async (url: string): Promise<WireClient> => {
      const { client } = await dial({ url: `${url}/ws/v1`, headers: { authorization: `Bearer ${tenant.key}` } })
      if (client === undefined) throw new Error("the upgrade was refused")
      const execute = { execProgramId: programId, execInputs: "shared", includeSummary: true }
      const params = { mode: "FIXED", periodicityMs: periodMs, share: true, execute }
      client.sendText(JSON.stringify({ jsonrpc: "2.0", id: "start", method: "feed.start", params }))
      await client.reply("start")
      return client
    }

    const heard = (client: WireClient, count: number): Promise<unknown> =>
      client.until(() => (resultsOf(client).length >= count ? true : undefined), withinMs)

    test("each tick is run and charged once, and goes on when its owner is frozen or killed", async () => {
      const [left, right] = await Promise.all([startServer(), startServer()])
      // The first subscriber's server owns the feed.
      const first = await subscribe(left.url)
      await heard(first, 2)
      const others = [await subscribe(left.url), await subscribe(right.url), await subscribe(right.url)]
      for (const client of others) await heard(client, 10)
      const from = Math.max(...others.map((client) => resultsOf(client)[0]?.seq ?? 0))
      for (const client of others) expect(textsFrom(client, from, from + 8)).toEqual(textsFrom(first, from, from + 8))
      expect(textsFrom(first, from, from + 8)).toHaveLength(8)

      const following = others[1] ?? first
      const before = resultsOf(following).length
      left.pause()
      await heard(following, before + 20)
      left.goOn()
      // The sleeper follows, and whoever is next when the present owner is killed goes on.
      const woken = resultsOf(first).length
      await heard(first, woken + 10)
      await right.end("SIGKILL")
      const after = resultsOf(first).length
      await heard(first, after + 10)
      const seqs = resultsOf(first).map(({ seq }) => seq)
      expect(seqs.length).toBeGreaterThanOrEqual(after + 10)
      for (const client of [first, ...others]) {
        const own = resultsOf(client).map(({ seq }) => seq)
        expect(own).toEqual([...new Set(own)].toSorted((one, other) => one - other))
        expect(untold(client)).toBe(0)
      }
      await left.end("SIGKILL")

      const ledger = await readLedgerTables(site.database, tenant.projectId)
      expect(auditLedger(ledger)).toEqual([])
      const ids = [first, ...others].flatMap((client) => resultsOf(client).flatMap(({ result }) => result?.data.id ?? []))
      const charged = ledger.reports.map(({ id }) => id)
      expect(new Set(charged).size).toBe(charged.length)
      expect(ids.filter((id) => !charged.includes(id))).toEqual([])
      // Nobody was told of the ticks that their owners took with them.
      expect(charged.length).toBeLessThan(new Set(ids).size + 20)
    })
  })
})
