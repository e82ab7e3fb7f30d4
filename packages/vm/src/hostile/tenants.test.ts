/** Two tenants take turns on one worker: neither finds anything of the other, wherever a program can leave something. */
import type { PhaseOutcome, PhaseRequest } from "@sibyl/core"
import { soakCount } from "@sibyl/testing/soak"
import { encodeModule, hostImport } from "@sibyl/testing/wasm"
import { afterAll, describe, expect, it } from "vitest"
import { everyday } from "../testdata/everyday.ts"
import { patientLimits, requestOf } from "./testdata/phases.ts"
import { markByte, tenantProgram } from "./testdata/tenantProgram.ts"
import { openWatchedRuntime } from "./testdata/watchedRuntime.ts"

const rounds = soakCount({ everyday: everyday(250), full: 5_000 })
const limits = patientLimits
const canary = "canary-of-the-planter"

const requestFrom = (projectId: string, args: ReadonlyArray<string>, secret: string): PhaseRequest =>
  requestOf(tenantProgram, "exec", {
    projectId,
    args,
    envs: [
      ["VM_MODE", "dr"],
      ["SECRET", secret]
    ],
    limits,
    isRecorded: true
  })

const planter = requestFrom("planter", [`P${canary}`], canary)
const looker = requestFrom("looker", ["look"], "nothing")

const textOf = (outcome: PhaseOutcome): string =>
  JSON.stringify({ ...outcome, result: Buffer.from(outcome.result).toString("latin1") }, (_, value: unknown) =>
    typeof value === "bigint" ? String(value) : value
  )

/** What is the same each time: the tape has the time and a seed. */
const lasting = (outcome: PhaseOutcome): string => textOf({ ...outcome, tape: "" })

/** Where the mark or the canary stands in an outcome. */
const hitsIn = (outcome: PhaseOutcome): number => {
  const marks = Buffer.from(outcome.result).indexOf(Buffer.alloc(4, markByte)) >= 0 ? 1 : 0
  return marks + textOf(outcome).split(canary).length - 1
}

describe.each(["process", "thread"] as const)("two tenants on one worker, a %s:", (isolation) => {
  const options = { isolation, workers: 1, spareWorkers: 0 } as const
  const [shared, alone] = [openWatchedRuntime(options), openWatchedRuntime(options)]
  afterAll(() => Promise.all([shared.dispose(), alone.dispose()]))

  it(`${rounds} times in turn, each ends as if it were alone`, async () => {
    const expected = { planted: lasting(await alone.run(planter)), found: "" }
    const first = await alone.run(planter)
    expect([first.exitCode, first.reason]).toEqual([0, undefined])
    expect(hitsIn(first)).toBeGreaterThan(0)
    const other = openWatchedRuntime(options)
    const found = await other.run(looker)
    await other.dispose()
    expected.found = lasting(found)
    expect([found.exitCode, found.reason]).toEqual([0, undefined])
    // Its memory, then: pages at first, words that are not 0, both globals, an empty place, the passive segment.
    const words = new DataView(found.result.buffer, found.result.byteOffset + 32_768 - 1_024)
    expect([0, 4, 8, 12, 16, 20, 24].map((place) => words.getUint32(place, true))).toEqual([196_608, 0, 0, 0, 0, 1, 0x0403_0201])
    let hits = 0
    for (let round = 0; round < rounds; round += 1) {
      // Also two of one tenant after each other, and both at once.
      const [planted, looked] =
        round % 3 === 0
          ? await Promise.all([shared.run(planter), shared.run(looker)])
          : [await shared.run(planter), await shared.run(looker)]
      hits += hitsIn(looked)
      expect(lasting(looked)).toBe(expected.found)
      expect(lasting(planted)).toBe(expected.planted)
    }
    process.stdout.write(`${rounds} turns of two tenants on one worker: ${hits} canaries found\n`)
    expect(hits).toBe(0)
    expect([...shared.lost]).toEqual([])
  }, 600_000)

  it("programs of other tenants find nothing either", async () => {
    // Memory of the same size, and of all that it may have, returned as it is.
    const dumps = [3, 7].map((memory) =>
      encodeModule({
        imports: [hostImport.executionResult, hostImport.procExit],
        memory,
        functions: [{ code: [0x41, 0, 0x41, 0x80, 0xee, 0x05, 0x10, 0] }]
      })
    )
    for (let round = 0; round < 20; round += 1) {
      await shared.run(planter)
      for (const dump of dumps) {
        const { result } = await shared.run(requestOf(dump, "exec", { projectId: "looker", limits }))
        expect(result.length).toBe(96_000)
        expect(result.every((byte) => byte === 0)).toBe(true)
      }
    }
  })
})
