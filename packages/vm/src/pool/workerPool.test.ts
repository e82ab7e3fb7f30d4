/** The pool: it heals after time-outs and deaths, and loses no reply. */
import { programIdOf } from "@sibyl/core"
import { fileURLToPath } from "node:url"
import { afterEach, describe, expect, it } from "vitest"
import { Leaving } from "@sibyl/core/internal"
import { inputOf } from "../testdata/runProgram.ts"
import { moduleNamed } from "../testdata/vectors.ts"
import { type OpenWorker, processWorkers, threadWorkers } from "../workers/openWorker.ts"
import { processWorkerFile, workerFile } from "../workers/workerFile.ts"
import type { PassJob, PassReply } from "./passJob.ts"
import { WorkerPool } from "./workerPool.ts"

const pools: Array<WorkerPool> = []
const poolOver = (openWorker: OpenWorker, workers: number, spareWorkers = 0): WorkerPool => {
  const pool = new WorkerPool({ workers, spareWorkers, queueBound: 100, cachedPrograms: 4, openWorker })
  pools.push(pool)
  return pool
}

const kinds = {
  threads: threadWorkers(workerFile() ?? ""),
  processes: processWorkers(processWorkerFile() ?? "", 512)
}

afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.close())))

const jobFor = (name: string, over: Partial<PassJob> = {}): PassJob => {
  const bytes = moduleNamed(name)
  return {
    source: { programId: programIdOf(bytes), bytes, memoryPages: 160 },
    input: inputOf("exec", { gasLimit: 2n ** 64n - 1n }),
    budgetMs: 60_000,
    projectId: "project",
    first: true,
    ...over
  }
}

const replyTo = (pool: WorkerPool, job: PassJob): Promise<PassReply> => new Promise((resume) => pool.submit(job, resume))

const testWorker = (name: string): string => fileURLToPath(new URL(`../testdata/${name}.mjs`, import.meta.url))

/** More than a pool of these tests keeps. */
const manyModules = ["min_return", "loop_sum", "i64_ops", "recursion", "globals", "sign_ext", "if_else"]

describe.each(["threads", "processes"] as const)("a worker pool of %s", (kind) => {
  const poolOf = (workers: number, spareWorkers = 0): WorkerPool => poolOver(kinds[kind], workers, spareWorkers)

  it("replies to each of many jobs once", async () => {
    const pool = poolOf(2)
    const replies = await Promise.all(Array.from({ length: 40 }, () => replyTo(pool, jobFor("min_return"))))
    expect(replies.map(({ kind }) => kind)).toEqual(Array.from({ length: 40 }, () => "passed"))
  })

  it("admits in their turn runs that do not want a worker yet, and keeps its workers for others", async () => {
    const pool = poolOf(1)
    const order: Array<string> = []
    const told = (name: string, job: PassJob): Promise<unknown> => replyTo(pool, job).then(({ kind }) => order.push(`${name} ${kind}`))
    const admission = jobFor("infinite_loop", { isAdmission: true })
    await Promise.all([
      told("first", jobFor("min_return")),
      told("second", admission),
      told("third", admission),
      told("fourth", jobFor("min_return")),
      told("fifth", admission)
    ])
    expect(order).toEqual(["first passed", "second admitted", "third admitted", "fourth passed", "fifth admitted"])
    const busy = replyTo(pool, jobFor("infinite_loop", { budgetMs: 300 }))
    expect(await replyTo(pool, { ...admission, maxWaitMs: 20 })).toEqual({ kind: "waitedTooLong" })
    expect((await busy).kind).toBe("deadline")
  })

  it("ends loops by the clock, one after the other, and no worker stays behind", async () => {
    const pool = poolOf(1)
    const replies = await Promise.all(Array.from({ length: 3 }, () => replyTo(pool, jobFor("infinite_loop", { budgetMs: 100 }))))
    expect(replies.map(({ kind }) => kind)).toEqual(["deadline", "deadline", "deadline"])
    expect((await replyTo(pool, jobFor("min_return"))).kind).toBe("passed")
    await expect.poll(() => pool.endingWorkers).toBe(0)
  })

  it("does not reply to a job that was taken back, and serves those behind it", async () => {
    const pool = poolOf(1)
    const replies: Array<string> = []
    await replyTo(pool, jobFor("min_return"))
    const takeBack = pool.submit(jobFor("infinite_loop"), () => replies.push("endless"))
    const takeBackWaiting = pool.submit(jobFor("min_return"), () => replies.push("waiting"))
    takeBackWaiting()
    takeBack()
    expect((await replyTo(pool, jobFor("min_return"))).kind).toBe("passed")
    expect(replies).toEqual([])
  })

  it("runs more programs than it keeps, in any order, each as itself", async () => {
    const job = (name: string): PassJob => jobFor(name, { input: inputOf("exec", { gasLimit: 200_000_000_000_000n }) })
    const resultOf = (reply: PassReply): unknown => (reply.kind === "passed" ? reply.result : reply)
    const alone = new Map<string, unknown>()
    for (const name of manyModules) alone.set(name, resultOf(await replyTo(poolOf(1), job(name))))
    const pool = poolOf(2)
    const order = Array.from({ length: 80 }, (_, at) => manyModules[(at * at + at * 3) % manyModules.length] ?? "")
    const replies = await Promise.all(order.map((name) => replyTo(pool, job(name))))
    expect(new Set(alone.values()).size).toBe(manyModules.length)
    for (const [at, reply] of replies.entries()) expect(resultOf(reply)).toEqual(alone.get(order[at] ?? ""))
  })

  it("lets runs under way pass before new ones", async () => {
    const pool = poolOf(1)
    const order: Array<string> = []
    const submit = (name: string, first: boolean): Promise<void> =>
      new Promise((resume) =>
        pool.submit(jobFor("min_return", { first }), () => {
          order.push(name)
          resume()
        })
      )
    // The worker is still starting, so all three wait.
    await Promise.all([submit("new", true), submit("newer", true), submit("under way", false)])
    expect(order).toEqual(["under way", "new", "newer"])
  })

  it("gives projects their turns: one that waits with a single job is not behind all of another's", async () => {
    const pool = poolOf(1)
    const order: Array<string> = []
    const submit = (projectId: string, first: boolean): Promise<void> =>
      new Promise((resume) =>
        pool.submit(jobFor("min_return", { projectId, first }), () => {
          order.push(projectId)
          resume()
        })
      )
    // The worker is still starting, so all wait. Later passes of one do not go before first passes of the others.
    const many = Array.from({ length: 20 }, (_, at) => submit("many", at % 2 === 0))
    await Promise.all([...many, submit("few", true), submit("few", true), submit("one", true)])
    expect(order.slice(0, 5)).toEqual(["many", "few", "one", "many", "few"])
    expect(order.length).toBe(23)
  })

  it("has a spare worker for a project while another's endless passes hold all others, one for each project", async () => {
    const pool = poolOf(2, 2)
    const endless = Array.from({ length: 20 }, () => replyTo(pool, jobFor("infinite_loop", { projectId: "greedy" })))
    for (const projectId of ["small", "tiny", "small"]) {
      const ended = await Promise.race([replyTo(pool, jobFor("min_return", { projectId })), ...endless])
      expect(ended.kind).toBe("passed")
    }
    await pool.close()
  })

  it("lets nobody wait longer than it may, and loses nobody who waits on", async () => {
    const pool = poolOf(1)
    await replyTo(pool, jobFor("min_return"))
    const loop = replyTo(pool, jobFor("infinite_loop", { budgetMs: 300 }))
    const impatient = replyTo(pool, jobFor("min_return", { maxWaitMs: 20 }))
    const patient = replyTo(pool, jobFor("min_return", { maxWaitMs: 60_000 }))
    expect((await impatient).kind).toBe("waitedTooLong")
    expect([(await loop).kind, (await patient).kind]).toEqual(["deadline", "passed"])
  })

  /** Ends soon where there is little gas, else never: nobody can tell from the program. */
  const loop = (gasLimit: bigint, over: Partial<PassJob> = {}): PassJob =>
    jobFor("infinite_loop", { input: inputOf("exec", { gasLimit }), ...over })
  const [short, endless] = [6_000_000_000_000n, 2n ** 64n - 1n]
  const untilShort = async (pool: WorkerPool): Promise<void> => {
    for (let time = 0; time < 40; time += 1) expect((await replyTo(pool, loop(short))).kind).toBe("passed")
  }

  it("gives others what lies ahead behind a pass that was expected to be short, and loses none, however often", async () => {
    for (let round = 0; round < 4; round += 1) {
      const pool = poolOf(2)
      await untilShort(pool)
      // Both are up, so that one of them is left.
      await expect.poll(() => pool.readyWorkers).toBe(2)
      let isOver = false
      void replyTo(pool, loop(endless)).then(() => (isOver = true))
      const replies = await Promise.all(Array.from({ length: 40 }, () => replyTo(pool, loop(short))))
      expect(replies.map(({ kind }) => kind)).toEqual(replies.map(() => "passed"))
      expect(isOver).toBe(false)
      await pool.close()
    }
  })

  it("runs what lay ahead of a worker that had to be ended, and answers each once", async () => {
    const pool = poolOf(1)
    await untilShort(pool)
    const jobs = Array.from({ length: 24 }, (_, at) => (at % 6 === 2 ? loop(endless, { budgetMs: 200 }) : loop(short)))
    const replies = await Promise.all(jobs.map((job) => replyTo(pool, job)))
    expect(replies.map(({ kind }) => kind)).toEqual(jobs.map((_, at) => (at % 6 === 2 ? "deadline" : "passed")))
  })

  it("takes abandoned jobs out of the queue, and lets those go on that a worker has", async () => {
    const pool = poolOf(1)
    await replyTo(pool, jobFor("min_return"))
    const abandoned = new Leaving()
    const began = replyTo(pool, jobFor("infinite_loop", { budgetMs: 500, abandoned }))
    const waiting = Array.from({ length: 3 }, () => replyTo(pool, jobFor("infinite_loop", { abandoned })))
    const other = replyTo(pool, jobFor("min_return"))
    abandoned.leave()
    expect((await Promise.all(waiting)).map(({ kind }) => kind)).toEqual(["abandoned", "abandoned", "abandoned"])
    expect((await replyTo(pool, jobFor("infinite_loop", { abandoned }))).kind).toBe("abandoned")
    expect([(await began).kind, (await other).kind]).toEqual(["deadline", "passed"])
  })
})

describe("a worker pool whose threads end", () => {
  const poolOf = (workers: number, file: string): WorkerPool => poolOver(threadWorkers(file), workers)

  it("replaces a worker that dies, and the job that it had is our defect", async () => {
    const pool = poolOf(1, testWorker("dyingWorker"))
    for (let time = 0; time < 2; time += 1) {
      expect(await replyTo(pool, jobFor("min_return"))).toEqual({
        kind: "defect",
        message: "a worker of the runtime ended: exit code 7"
      })
    }
  })

  it("fails the jobs that wait for workers that cannot start, and does not start them forever", async () => {
    const pool = poolOf(1, testWorker("stillbornWorker"))
    const replies = await Promise.all([replyTo(pool, jobFor("min_return")), replyTo(pool, jobFor("min_return"))])
    expect(replies.map((reply) => reply.kind === "defect" && reply.message)).toEqual([
      "a worker of the runtime ended: stillborn",
      "a worker of the runtime ended: stillborn"
    ])
  })
})
