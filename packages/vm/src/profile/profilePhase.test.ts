/** The runtime profiles each phase after its end, in a thread of its own, and says so where it cannot. */
import { defaultLimits } from "@sibyl/core"
import { call, encodeModule, i32, i32Const, localGet } from "@sibyl/testing/wasm"
import { Cause, Effect, Exit } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { openRuntime, requestFor } from "../testdata/runtimeOverHttp.ts"
import { emptyTape, moduleNamed } from "../testdata/vectors.ts"
import type { PhaseProfile } from "./gasProfile.ts"
import { profilePhase } from "./profilePhase.ts"

const profiles: Array<PhaseProfile> = []
const runtime = openRuntime({ workers: 1, profiling: { onProfile: (_, profile) => void profiles.push(profile) } })
afterAll(() => runtime.dispose())

const endless = requestFor(moduleNamed("infinite_loop"), {
  gasLimit: 2n ** 64n - 1n,
  limits: { ...defaultLimits, execWallClockMs: 200 }
})

/** Calls itself so often. */
const recursing = (times: number): Uint8Array =>
  encodeModule({
    functions: [
      { parameters: [i32], code: [...localGet(0), 0x04, 0x40, ...localGet(0), ...i32Const(1), 0x6b, ...call(0), 0x0b] },
      { code: [...i32Const(times), ...call(0)] }
    ]
  })

describe("the profile of a phase", () => {
  it("is that of its last pass, with the answers from outside", async () => {
    const outcome = await runtime.run(requestFor(moduleNamed("host_http")))
    const { gasUsed, missing, phase, rows } = profiles.pop() ?? { rows: [] }
    expect({ gasUsed, missing, phase }).toEqual({ gasUsed: outcome.gasUsed, missing: undefined, phase: "exec" })
    expect(rows.find(({ kind }) => kind === "host")).toMatchObject({ name: "seda_v1.http_fetch", calls: 1 })
    expect(rows.reduce((sum, { self }) => sum + self, 0n)).toBe(outcome.gasUsed)
  })

  it("is missing where the clock or the stack ended the phase", async () => {
    await runtime.run(endless)
    await runtime.run(
      requestFor(recursing(100_000_000), { gasLimit: 2n ** 64n - 1n, limits: { ...defaultLimits, execWallClockMs: 60_000 } })
    )
    expect(profiles.splice(0).map(({ missing, rows }) => [missing, rows.length])).toEqual([
      ["the wall clock ended the phase", 0],
      ["the phase overflowed the stack", 0]
    ])
  })

  it("is missing where the observed run takes too long, or more stack than there is", async () => {
    expect(await Effect.runPromise(profilePhase(endless, emptyTape, 1n))).toMatchObject({
      missing: "the observed run took longer than the phase's 200 ms"
    })
    const deep = requestFor(recursing(100_000_000), { gasLimit: 2n ** 64n - 1n, limits: { ...defaultLimits, execWallClockMs: 60_000 } })
    expect(await Effect.runPromise(profilePhase(deep, emptyTape, 1n))).toMatchObject({ missing: "the observed run overflowed the stack" })
  })

  it("is a defect where it is of another run than that which it observes", async () => {
    const failed = await Effect.runPromiseExit(profilePhase(requestFor(moduleNamed("min_return")), emptyTape, 1n))
    expect(Exit.isFailure(failed) && Cause.squash(failed.cause)).toMatchObject({
      message: "the observed run used 5000005625000 gas, not 1"
    })
  })
})
