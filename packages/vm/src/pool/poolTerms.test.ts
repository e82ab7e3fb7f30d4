/** What a worker is told of the terms of its orders, and what it makes of that. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { KeptTerms, mostTermsChars, type OrderedTerms } from "../orders/runTerms.ts"
import { inputOf } from "../testdata/runProgram.ts"
import type { PassJob } from "./passJob.ts"
import { noTerms, PoolTerms } from "./poolTerms.ts"

const base = JSON.stringify({ drId: "00", inputs: "", consensusFilter: "00", replicationFactor: 1, envs: [] })

/** A request: its runs are given the same variables. */
const requestOf = (name: string, chars = 10): PassJob => {
  const { ahead: _, ...input } = inputOf("exec")
  const source = { programId: name, bytes: new Uint8Array(), memoryPages: 1 }
  const given = { ...input, args: ["a".repeat(chars)], envs: [["NAME", name]] as const }
  return {
    source,
    input: given,
    projectId: "project",
    budgetMs: 1,
    first: true,
    tally: { source, base, blockHeight: 0n, gasLimit: 1n, budgetMs: 1 }
  }
}

const kindsOf = (orders: ReadonlyArray<OrderedTerms>): ReadonlyArray<string> =>
  orders.map(({ kind, number }) => (number === undefined ? kind : `${kind} ${number}`))

describe("the terms of a request", () => {
  it("are sent, sent under a number when they are seen again, and then only named", () => {
    const [terms, worker, another] = [new PoolTerms(), noTerms(), noTerms()]
    const [one, two] = [requestOf("one"), requestOf("two")]
    const orders = [one, one, one, two, one].map((job) => terms.of(job, worker))
    expect(kindsOf(orders)).toEqual(["sent", "sent 1", "known 1", "sent", "known 1"])
    expect(kindsOf([terms.of(one, another), terms.of(one, another)])).toEqual(["sent 1", "known 1"])
  })

  it("are others as soon as anything of them is", () => {
    const job = requestOf("one")
    const { input, tally } = job
    if (tally === undefined) throw new Error("it has a tally")
    const others: ReadonlyArray<PassJob> = [
      { ...job, input: { ...input, args: [...input.args] } },
      { ...job, input: { ...input, gasLimit: input.gasLimit + 1n } },
      { ...job, input: { ...input, phase: "tally" } },
      { ...job, tally: { ...tally, gasLimit: 2n } },
      { ...job, tally: { ...tally, base: `${base} ` } },
      ...(
        ["hostCallBytes", "hostCalls", "httpActionBytes", "resultBytes", "stderrBytes", "stdoutBytes", "storageActionBytes"] as const
      ).map((name) => ({ ...job, input: { ...input, limits: { ...input.limits, [name]: input.limits[name] + 1 } } }))
    ]
    for (const other of others) {
      const [terms, worker] = [new PoolTerms(), noTerms()]
      const orders = [job, job, other, other, job].map((each) => terms.of(each, worker))
      expect(kindsOf(orders)).toEqual(["sent", "sent 1", "sent", "sent 2", "sent"])
    }
  })

  it("are sent each time if they are large", () => {
    const [terms, worker, job] = [new PoolTerms(), noTerms(), requestOf("large", mostTermsChars)]
    expect(kindsOf([job, job, job].map((each) => terms.of(each, worker)))).toEqual(["sent", "sent", "sent"])
  })

  it("are those of its jobs at each worker, whatever the workers have forgotten or whichever were replaced", () => {
    const requests = Array.from({ length: 700 }, (_, at) => requestOf(`${at}`, 12_000 + at))
    const step = fc.record({ request: fc.nat({ max: requests.length - 1 }), worker: fc.nat({ max: 1 }), replaced: fc.nat({ max: 400 }) })
    fc.assert(
      fc.property(fc.array(step, { size: "max", maxLength: 3_000 }), (steps) => {
        const terms = new PoolTerms()
        const fresh = () => ({ pool: noTerms(), worker: new KeptTerms() })
        const workers = [fresh(), fresh()]
        for (const { replaced, request, worker } of steps) {
          if (replaced === 0) workers[worker] = fresh()
          const [job, at] = [requests[request], workers[worker]]
          if (job === undefined || at === undefined) throw new Error("there is one")
          const { input, tally } = at.worker.take(terms.of(job, at.pool))
          expect([input.envs, input.args, input.gasLimit, tally?.base.drId]).toEqual([
            job.input.envs,
            job.input.args,
            job.input.gasLimit,
            "00"
          ])
        }
      }),
      { numRuns: 20 }
    )
  })
})
