/** Every golden case of both phases, in this thread, with exact bytes and gas. */
import { describe, expect, it } from "vitest"
import { deviations } from "../testdata/deviations.ts"
import { runToEnd, type CompletedRun } from "../testdata/runToEnd.ts"
import { asExpected, emptyTape, execVectors, tallyVectors, type VectorCase } from "../testdata/vectors.ts"
import { pass } from "./pass.ts"
import { prepareProgram } from "./prepare.ts"
import { proxyUsesOf } from "../tape/proxyUses.ts"

const run = (vector: VectorCase): CompletedRun => {
  const { args, envs, gasLimit, limits, phase } = vector
  const preparation = prepareProgram(vector.program, phase, limits.memoryPages)
  return runToEnd(preparation, { phase, args, envs, gasLimit, limits, tape: emptyTape }, vector.answer)
}

const all = [...tallyVectors, ...execVectors]
const keyOf = (vector: VectorCase): string => `${vector.phase}:${vector.name}`

describe("the golden cases", () => {
  it("are complete, with unique names, and each deviation names one", () => {
    expect(tallyVectors).toHaveLength(183)
    expect(execVectors).toHaveLength(84)
    const keys = new Set(all.map(keyOf))
    expect(keys.size).toBe(183 + 84)
    expect(Object.keys(deviations).filter((key) => !keys.has(key))).toEqual([])
  })

  it.each(all.filter((vector) => deviations[keyOf(vector)] === undefined).map((vector) => [keyOf(vector), vector] as const))(
    "%s holds",
    (_, vector) => {
      const { ending } = run(vector)
      expect(asExpected(ending, vector)).toEqual(vector.expect)
      expect(ending.gasCharged).toBe(ending.gasUsed)
    }
  )

  it.each(all.filter((vector) => deviations[keyOf(vector)] !== undefined).map((vector) => [keyOf(vector), vector] as const))(
    "%s deviates as documented",
    (key, vector) => {
      const { ending } = run(vector)
      expect(asExpected(ending, vector)).not.toEqual(vector.expect)
      expect({ exitCode: ending.exitCode, gasUsed: String(ending.gasUsed), stderr: ending.stderr }).toEqual(deviations[key]?.instead)
    }
  )
})

describe("the golden cases with requests", () => {
  const reaching = execVectors.filter(({ name }) => name.startsWith("exec-http/"))

  it.each(reaching.map((vector) => [vector.name, vector] as const))("%s makes the expected requests", (_, vector) => {
    const { calls } = run(vector)
    const asked = calls
      .filter(({ kind }) => kind !== "proxyPrice")
      .map(({ action, kind }) => ({
        ...(JSON.parse(new TextDecoder().decode(action)) as object),
        type: kind === "fetch" ? "http-fetch-action" : "proxy-http-fetch-action"
      }))
    // A proxy that is too expensive is only asked for its price.
    expect(asked).toEqual(vector.actions)
  })

  it.each(reaching.map((vector) => [vector.name, vector] as const))("%s replays with the same ending", (_, vector) => {
    const { args, envs, gasLimit, limits, phase, program } = vector
    const first = run(vector)
    const replayed = pass(prepareProgram(program, phase, limits.memoryPages), {
      phase,
      args,
      envs,
      gasLimit,
      limits,
      tape: first.tape
    })
    expect(replayed).toEqual({ kind: "done", ending: first.ending })
  })

  it("counts a proxy's calls and fees, for answers of 200 to 299 only", () => {
    const proxiesOf = (name: string): unknown => {
      const vector = execVectors.find((candidate) => candidate.name === name)
      return vector === undefined ? undefined : proxyUsesOf(run(vector).tape)
    }
    expect(proxiesOf("exec-http/proxy-ok-paid")).toEqual([{ publicKey: "02aa", feeCredits: 3n, calls: 1 }])
    expect(proxiesOf("exec-http/proxy-404-not-charged")).toEqual([])
    expect(proxiesOf("exec-http/proxy-too-dear")).toEqual([])
  })
})
