/** The signing key is rotated under load: all processes change at one timestamp, and every answer verifies with the list of `GET /info`. */
import { SqlClient } from "@effect/sql/SqlClient"
import { type ListedSigner, verify } from "@sibyl/core/verify"
import { auditPrograms } from "@sibyl/testing"
import { Effect, Redacted } from "effect"
import { afterEach, expect, test } from "vitest"
import { layerDatabase } from "../service/stores.ts"
import { askSibyl, runSibyl } from "../testdata/runSibyl.ts"
import { execution } from "./testdata/flatPrice.ts"
import { describeKinds, Site } from "./testdata/site.ts"

let site: Site | undefined

afterEach(() => site?.close())

interface Info {
  readonly publicKey: string
  readonly keys: ReadonlyArray<ListedSigner>
}

const infoOf = async (url: string): Promise<Info> => (await (await fetch(`${url}/info`)).json()) as Info

/** Longer than servers take to read the keys again while they sign; the command itself asks for more. */
const noticeMs = 8_000

/** What `activate --in 8s` would store, were so short a notice allowed. */
const activateSoon = (database: string, next: string): Promise<number> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const atMs = Date.now() + noticeMs
    yield* sql.withTransaction(
      Effect.zipRight(
        sql`UPDATE signing_key_times SET retired_at_ms = ${atMs}, valid_until_ms = ${atMs + 3_600_000} WHERE active_from_ms = 0`,
        sql`UPDATE signing_key_times SET active_from_ms = ${atMs} WHERE public_key = ${next}`
      )
    )
    return atMs
  }).pipe(Effect.provide(layerDatabase({ address: Redacted.make(database), connections: 2 })), Effect.runPromise)

describeKinds("a rotation of the signing key", (kind) => {
  test("is followed by every process at one timestamp, without a restart", async () => {
    const opened = await Site.open(kind, kind === "SQLite" ? { edges: 2 } : {})
    site = opened
    const programId = await opened.deploy(auditPrograms.echo)
    const tenant = await opened.tenant(1_000_000_000n)
    const servers = kind === "SQLite" ? [await opened.start()] : [await opened.start(), await opened.start()]
    const urls = servers.map(({ url }) => url)
    const [url = ""] = urls
    const { keys: before, publicKey: old } = await infoOf(url)
    expect(before).toEqual([{ publicKey: old, activeFrom: "1970-01-01T00:00:00.000Z", retiredAt: null, validUntil: null }])

    const { keys: listed } = (await askSibyl(["signing-key", "announce"], { cwd: opened.folder })) as {
      readonly keys: ReadonlyArray<{ readonly publicKey: string; readonly state: string }>
    }
    const next = listed.find(({ state }) => state === "announced")?.publicKey ?? ""
    expect(await runSibyl(["signing-key", "activate", "--in", "8s"], { cwd: opened.folder })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^sibyl: --in must be 30s or more, so that every server knows of it, not "8s"\n$/)
    })
    const atMs = await activateSoon(opened.database, next)

    const answers: Array<unknown> = []
    const run = async (one: string): Promise<void> => {
      const signers = new Set<string>()
      while (!signers.has(next)) {
        const { json, status } = await execution(one, { key: tenant.key, programId, inputs: "again" })
        expect(status).toBe(200)
        answers.push(json)
        const verdict = [old, next].map((publicKey) => verify(json, { publicKey })).find(({ ok }) => ok)
        if (verdict?.ok === true) {
          signers.add(verdict.publicKey)
          expect(verdict.publicKey).toBe(verdict.dataResult.blockTimestamp < BigInt(atMs) ? old : next)
        } else expect(verdict).toBeDefined()
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    }
    // Side by side, so on connections of their own: each edge gets some.
    await Promise.all([...urls, ...urls].map(run))
    for (let more = 0; more < 4; more += 1) {
      const info = await infoOf(urls[more % urls.length] ?? "")
      expect(info.publicKey).toBe(next)
      const verdicts = answers.map((answer) => verify(answer, { keys: info.keys, nowMs: Date.now() }))
      expect(verdicts.filter(({ ok }) => !ok)).toEqual([])
    }
    const nowMs = Date.now()
    const { keys } = await infoOf(url)
    const { data: first } = answers[0] as { readonly data: { readonly dataResult: { readonly drId: string } } }
    const page = await fetch(`${url}/data-request-reports?drId=${first.dataResult.drId}&amount=100`, {
      headers: { authorization: `Bearer ${tenant.key}` }
    })
    const { data } = (await page.json()) as { readonly data: ReadonlyArray<unknown> }
    expect(data.length).toBeGreaterThan(0)
    for (const entry of data) expect(verify(entry, { keys, nowMs })).toMatchObject({ ok: true })

    const retired = await runSibyl(["signing-key", "retire", old], { cwd: opened.folder })
    expect(retired).toMatchObject({ code: 0, stdout: expect.stringContaining("ended") })
    // Each edge shows for a moment what it read before.
    const until = performance.now() + 30_000
    for (let inARow = 0; inARow < 10 && performance.now() < until; inARow += 1) {
      if ((await infoOf(url)).keys.some(({ publicKey }) => publicKey === old)) inARow = -1
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    const after = await infoOf(url)
    expect(after.keys.map(({ publicKey }) => publicKey)).toEqual([next])
    expect(verify(answers[0], { keys: after.keys, nowMs })).toMatchObject({ ok: false, reason: "wrongSigner" })
    const { entries } = (await askSibyl(["audit"], { cwd: opened.folder })) as {
      readonly entries: ReadonlyArray<{ readonly action: string; readonly subject: string }>
    }
    const steps = entries.filter(({ action }) => action.startsWith("signingKey.")).map(({ action, subject }) => [action, subject])
    expect(steps.slice(0, 1).concat(steps.slice(-1))).toEqual([
      ["signingKey.retire", old],
      ["signingKey.announce", next]
    ])
    // The log names the program; nothing else there may look like a secret.
    for (const { process } of servers) {
      expect(process.output.replaceAll(programId, "")).not.toMatch(/(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/)
    }
  })
})
