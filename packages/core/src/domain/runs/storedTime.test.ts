/** Servers that choose timestamps over one store: killed, behind each other's clocks, without acknowledgements, and forgetful. */
import { soakCount } from "@sibyl/testing/soak"
import fc from "fast-check"
import { expect, it } from "vitest"
import { ChosenTimes } from "./chosenTimes.ts"
import { judgeTime, type StoredTime } from "./storedTime.ts"

const drIds = ["x", "y", "z"] as const

const server = fc.nat({ max: 1 })
const which = fc.nat({ max: 20 })
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("end" as const), server, drId: fc.constantFrom(...drIds) }) },
  { weight: 10, arbitrary: fc.record({ kind: fc.constant("charge" as const), server, which, isLost: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("setClock" as const), server, offsetMs: fc.integer({ min: -5, max: 5 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("kill" as const), server }) }
)
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

interface Run {
  readonly drId: string
  readonly id: number
  readonly timestampMs: number
  /** Whether the store has given out its timestamp. */
  readonly isGiven: boolean
  /** The latest answer of the drId before this run ended. */
  readonly afterMs: number
}

interface Server {
  readonly owner: string
  readonly times: ChosenTimes
  readonly runs: Array<Run>
  offsetMs: number
}

const counts = { answered: 0, stale: 0, killed: 0, repeated: 0 }

/** The store, its servers, and all that clients were answered. */
class World {
  readonly #stored = new Map<string, StoredTime>()
  /** By run: the timestamp with which it was charged. */
  readonly #charged = new Map<number, number>()
  /** By drId, the timestamps of charged runs. */
  readonly #used = new Map<string, Set<number>>()
  readonly #answeredMs = new Map<string, number>()
  readonly servers: Array<Server>
  #nowMs = 100
  #lives = 0
  #runs = 0

  constructor() {
    this.servers = [this.#start(), this.#start()]
  }

  #start(): Server {
    this.#lives += 1
    return { owner: `life ${this.#lives}`, times: new ChosenTimes(1), runs: [], offsetMs: 0 }
  }

  take(step: Step): void {
    if (step.kind === "wait") {
      this.#nowMs += step.ms
      return
    }
    const server = this.servers[step.server]
    if (server === undefined) return
    switch (step.kind) {
      case "setClock":
        server.offsetMs = step.offsetMs
        return
      case "kill":
        counts.killed += 1
        this.servers[step.server] = this.#start()
        return
      case "end": {
        const { drId } = step
        this.#runs += 1
        const timestampMs = server.times.next(drId, this.#nowMs + server.offsetMs)
        const afterMs = this.#answeredMs.get(drId) ?? Number.NEGATIVE_INFINITY
        server.runs.push({ drId, id: this.#runs, timestampMs, isGiven: false, afterMs })
        return
      }
      case "charge": {
        const [run] = server.runs.splice(step.which % Math.max(1, server.runs.length), 1)
        if (run !== undefined) this.#settle(server, run, step.isLost)
      }
    }
  }

  #settle(server: Server, run: Run, isLost: boolean): void {
    const givenMs = this.#charge(server, run)
    // Without an acknowledgement the server tries again, later.
    if (isLost) {
      counts.repeated += 1
      server.runs.push(run)
    } else if (givenMs === undefined) this.#answer(run)
    else {
      server.times.passed(run.drId, givenMs)
      server.runs.push({ ...run, timestampMs: givenMs, isGiven: true })
    }
  }

  /** The transaction: the timestamp that the store gives out instead, or undefined if the run is charged. */
  #charge({ owner }: Server, { drId, id, isGiven, timestampMs }: Run): number | undefined {
    if (this.#charged.has(id)) return undefined
    if (!isGiven) {
      const verdict = judgeTime(this.#stored.get(drId), { owner, timestampMs })
      this.#stored.set(drId, verdict.stored)
      if (!verdict.stands) {
        counts.stale += 1
        return verdict.timestampMs
      }
    }
    const used = this.#used.get(drId) ?? new Set()
    expect(used.has(timestampMs), `a second result of ${drId} at ${timestampMs}`).toBe(false)
    this.#used.set(drId, used.add(timestampMs))
    this.#charged.set(id, timestampMs)
    expect(this.#stored.get(drId)?.lastMs).toBeGreaterThanOrEqual(timestampMs)
    return undefined
  }

  #answer({ afterMs, drId, id, timestampMs }: Run): void {
    counts.answered += 1
    // What is answered is what is stored.
    expect(this.#charged.get(id)).toBe(timestampMs)
    // A run that ends after an answer is later than that answer.
    expect(timestampMs).toBeGreaterThan(afterMs)
    this.#answeredMs.set(drId, Math.max(timestampMs, this.#answeredMs.get(drId) ?? 0))
  }
}

it("no two results of a drId have one timestamp, and none goes back behind an answer", () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 10, maxLength: 200, size: "max" }), (steps) => {
      const world = new World()
      for (const one of steps) world.take(one)
      // No run waits for ever: charged once more, or twice if it is signed again, each is answered.
      for (const [at, { runs }] of world.servers.entries()) {
        const rounds = 2 * runs.length
        for (let round = 0; round < rounds; round += 1) world.take({ kind: "charge", server: at, which: 0, isLost: false })
        expect(runs).toEqual([])
      }
    }),
    { numRuns: soakCount({ everyday: 300, full: 20_000 }) }
  )
  for (const [what, count] of Object.entries(counts)) expect(count, what).toBeGreaterThan(100)
})
