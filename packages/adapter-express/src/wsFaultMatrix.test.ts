/**
 * Each fault of WebSockets, with every audit behind a proxy of its own: the audit that finds it fails, and no audit fails whose own
 * connections the fault left as they are. A soak takes all faults; every day some are taken, without the audits that mostly wait.
 */
import { openFaultyProxy, type WsFault, wsAudits, wsFaults } from "@sibyl/testing"
import { soakCount } from "@sibyl/testing/soak"
import { expect, it } from "vitest"
import { type AuditedServer, startAuditedServer } from "./testdata/auditedSocketServer.ts"

/** They shut the service down, for which each fault would need one of its own: wsFaults.test.ts has them. */
const endsTheService = (id: string): boolean => id.startsWith("WS-END")
const mostlyWaits = (id: string): boolean => /^WS-(?:LIVE|LOAD)/.test(id)
/** Judged by when runs start, which other audits in this process would delay: these are made by themselves. */
const isTimed = (id: string): boolean => id.startsWith("WS-MODE")

const everyday = 2
const faults = wsFaults.filter(({ foundBy }) => !endsTheService(foundBy))
const isSoak = soakCount({ everyday, full: faults.length }) > everyday
const wanted = soakCount({ everyday, full: faults.length })
/** As many as are wanted, over the whole list. */
const spread = (list: ReadonlyArray<WsFault>): ReadonlyArray<WsFault> =>
  list.filter((_, at) => Math.floor((at * wanted) / list.length) !== Math.floor(((at - 1) * wanted) / list.length))
const chosen = spread(isSoak ? faults : faults.filter(({ foundBy }) => !mostlyWaits(foundBy)))
const audits = wsAudits.filter(({ id }) => !endsTheService(id) && (isSoak || !mostlyWaits(id)))

/** Short, so that a fault that never settles is found soon: no run of the audits' programs takes this long. */
const settlingMs = 4_000
/** In a soak, which runs alone, half of what is usual: many faults keep an audit waiting for each of its replies. */
const replyWithinMs = isSoak ? 10_000 : 20_000
/** Enough for each fault of the load audits to show; in a soak wsAudits.test.ts makes the complete load. */
const loadShare = 0.1
/** Audits at once: most of them wait. Every day, other tests take the processors too. */
const atOnce = isSoak ? 8 : 4

/** What one audit says of the service with the fault, and whether the fault changed anything on its connections. */
const judgeOne = async (server: AuditedServer, { id, run }: (typeof audits)[number], fault: WsFault) => {
  let isTouched = false
  const target = await server.provision()
  const proxy = await openFaultyProxy(target.baseUrl, fault, () => {
    isTouched = true
  })
  try {
    const result = await run({ ...target, baseUrl: proxy.baseUrl, settlingMs, replyWithinMs, loadShare })
    return { id, result, failed: result.kind === "failed", isTouched }
  } finally {
    proxy.close()
  }
}

/** On a server of its own: one keeps everything in memory that all of its audits store. */
const judge = async (fault: WsFault) => {
  const server = await startAuditedServer()
  try {
    const waiting = audits.filter(({ id }) => !isTimed(id))
    const verdicts: Array<Awaited<ReturnType<typeof judgeOne>>> = []
    const takeTurns = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) verdicts.push(await judgeOne(server, next, fault))
    }
    await Promise.all(Array.from({ length: atOnce }, takeTurns))
    for (const timed of audits.filter(({ id }) => isTimed(id))) verdicts.push(await judgeOne(server, timed, fault))
    return verdicts
  } finally {
    await server.stop()
  }
}

it("no audit fails without a fault", { timeout: 300_000 }, async () => {
  const verdicts = await judge({ name: "none", foundBy: "", connection: () => ({ message: (message) => [message] }) })
  const wrong = verdicts.filter(({ failed, isTouched }) => failed || isTouched)
  expect(wrong, JSON.stringify(wrong)).toEqual([])
  expect(verdicts.length).toBe(audits.length)
})

it.each(chosen)("$foundBy: $name", { timeout: 1_800_000 }, async (fault) => {
  const verdicts = await judge(fault)
  const failed = verdicts.filter((verdict) => verdict.failed)
  if (isSoak) {
    const touched = verdicts.filter(({ isTouched }) => isTouched).length
    process.stderr.write(`${fault.foundBy} ${fault.name}: ${failed.length} failed of ${touched} that the fault touched\n`)
  }
  expect(failed.map(({ id }) => id)).toContain(fault.foundBy)
  const wronglyFailed = failed.filter(({ isTouched }) => !isTouched)
  expect(wronglyFailed, JSON.stringify(wronglyFailed)).toEqual([])
})
