/** What becomes of passes whose workers are lost: another worker has them once more, and what ends that one too is remembered. */
import fc from "fast-check"
import { afterEach, describe, expect, it } from "vitest"
import type { PassOrder } from "../orders/messages.ts"
import type { OrderProgress } from "../orders/orderProgress.ts"
import { Leaving } from "@sibyl/core/internal"
import { inputOf } from "../testdata/runProgram.ts"
import type { WorkerLoss } from "../tape/tape.ts"
import type { OpenWorker } from "../workers/openWorker.ts"
import type { WorkerEvents } from "../workers/poolWorker.ts"
import type { PassJob, PassReply, TallyJob } from "./passJob.ts"
import type { LostWorker } from "./poolOptions.ts"
import { WorkerPool } from "./workerPool.ts"

const memory: WorkerLoss = { why: "memory", limitMib: 512 }

/** What a worker does with a program: it passes, or the worker is lost in its execution or in its tally phase. */
type Deed = "passes" | "kills" | "killsInTally"

const ending = {
  exitCode: 0,
  exitMessage: "Ok",
  gasUsed: 1n,
  gasCharged: 1n,
  result: undefined,
  resultLength: 0,
  stdout: [],
  stderr: [],
  reason: undefined
}

/** Workers that do with each program what its name says; a program may do something else at its second order. */
const workersDoing =
  (deeds: (programId: string, time: number) => Deed, given: Array<string>): OpenWorker =>
  (_, progress: OrderProgress, events: WorkerEvents) => {
    queueMicrotask(() => events.onReport({ kind: "ready" }))
    return {
      give: ({ key }: PassOrder) => {
        const programId = key.split(":").at(-1) ?? ""
        const time = given.filter((name) => name === programId).length
        given.push(programId)
        const deed = deeds(programId, time)
        if (deed === "killsInTally") progress.beginTally(0)
        queueMicrotask(() => {
          if (deed !== "passes") return events.onEnd({ reason: "killed", loss: memory })
          progress.ended()
          events.onReport({
            kind: "passed",
            result: { kind: "done", ending },
            ranMs: 0.1,
            prepared: [],
            tally: undefined,
            tallyMs: 0,
            signed: undefined
          })
        })
      },
      recall: () => {},
      takeReport: () => false,
      terminate: () => Promise.resolve()
    }
  }

const pools: Array<WorkerPool> = []
afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.close())))

interface WatchedPool {
  readonly run: (job: PassJob) => Promise<PassReply>
  readonly given: Array<string>
  readonly lost: Array<LostWorker>
}

const poolDoing = (deeds: (programId: string, time: number) => Deed, workers = 1): WatchedPool => {
  const given: Array<string> = []
  const lost: Array<LostWorker> = []
  const openWorker = workersDoing(deeds, given)
  const pool = new WorkerPool({ workers, queueBound: 1_000, cachedPrograms: 4, openWorker, onLost: (one) => lost.push(one) })
  pools.push(pool)
  return { run: (job) => new Promise((resume) => pool.submit(job, resume)), given, lost }
}

const sourceOf = (programId: string) => ({ programId, bytes: new Uint8Array(), memoryPages: 160 })
const jobOf = (programId: string, over: Partial<PassJob> = {}): PassJob => ({
  source: sourceOf(programId),
  input: inputOf("exec"),
  budgetMs: 60_000,
  projectId: "project",
  first: true,
  ...over
})
const tallyOf = (programId: string): TallyJob => ({
  source: sourceOf(programId),
  base: "{}",
  blockHeight: 1n,
  gasLimit: 1n,
  budgetMs: 60_000
})

describe("a pass whose worker is lost", () => {
  it("is run again by another one, as if nothing had happened", async () => {
    const { given, lost, run } = poolDoing((_, time) => (time === 0 ? "kills" : "passes"))
    expect((await run(jobOf("one"))).kind).toBe("passed")
    expect(given).toEqual(["one", "one"])
    expect(lost).toEqual([{ why: "memory", reason: "killed" }])
  })

  it("that loses the second one too is at an end; its program is given to no worker again, others are", async () => {
    const { given, lost, run } = poolDoing((programId) => (programId === "deadly" ? "kills" : "passes"))
    expect(await run(jobOf("deadly"))).toMatchObject({ kind: "lost", loss: memory })
    expect(lost.length).toBe(2)
    expect(await run(jobOf("deadly"))).toEqual({ kind: "lost", elapsedMs: 0, loss: memory })
    expect((await run(jobOf("other"))).kind).toBe("passed")
    expect(given).toEqual(["deadly", "deadly", "other"])
  })

  it("in its tally phase is the tally program's: executions with it are told before they run, others run", async () => {
    const { given, run } = poolDoing((programId) => (programId === "exec" ? "killsInTally" : "passes"))
    const both = jobOf("exec", { tally: tallyOf("deadly") })
    expect(await run(both)).toMatchObject({ kind: "tallyLost", loss: memory })
    expect(await run(both)).toEqual({ kind: "tallyLost", elapsedMs: 0, loss: memory })
    expect(await run(jobOf("deadly", { input: inputOf("tally") }))).toEqual({ kind: "lost", elapsedMs: 0, loss: memory })
    // As an execution it is another program, with other prices and imports.
    expect((await run(jobOf("deadly"))).kind).toBe("passed")
    expect(given).toEqual(["exec", "exec", "deadly"])
  })

  it("has no second worker once its time is over", async () => {
    const { given, run } = poolDoing(() => "kills")
    expect(await run(jobOf("one", { budgetMs: 0 }))).toMatchObject({ kind: "lost" })
    expect(given).toEqual(["one"])
  })

  it("is not refused any more: it neither waits too long, nor is abandoned, nor is the queue full", async () => {
    const { run } = poolDoing((_, time) => (time === 0 ? "kills" : "passes"))
    const caller = new Leaving()
    const job = jobOf("one", { maxWaitMs: 1, abandoned: caller, onStart: () => caller.leave() })
    expect((await run(job)).kind).toBe("passed")
  })

  it("gets one reply, and so does every other, whatever is lost", async () => {
    const deeds = fc.constantFrom<Deed>("passes", "passes", "kills")
    const programs = fc.dictionary(fc.constantFrom("a", "b", "c", "d", "e", "f"), fc.array(deeds, { minLength: 1, maxLength: 5 }), {
      minKeys: 1
    })
    await fc.assert(
      fc.asyncProperty(
        programs,
        fc.array(fc.nat(), { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 3 }),
        async (of, picks, workers) => {
          const names = Object.keys(of)
          const { run } = poolDoing((programId, time) => of[programId]?.[time % (of[programId]?.length ?? 1)] ?? "passes", workers)
          const jobs = picks.map((pick) => jobOf(names[pick % names.length] ?? "", { projectId: `project ${pick % 3}` }))
          const replies = await Promise.all(jobs.map(run))
          for (const [at, { kind }] of replies.entries()) {
            const neverKills = of[jobs[at]?.source.programId ?? ""]?.every((deed) => deed === "passes") ?? false
            expect(neverKills ? ["passed"] : ["passed", "lost"]).toContain(kind)
          }
        }
      ),
      { numRuns: 200 }
    )
  })
})
