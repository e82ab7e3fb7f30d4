/** Every host function with extreme pointers and lengths: an answer or a typed trap, never an exception. */
import type { Phase } from "@sibyl/core"
import { soakCount } from "@sibyl/testing/soak"
import { call, drop, encodeModule, hostImport, i32, i32Const, i32Store, i64Const } from "@sibyl/testing/wasm"
import { describe, expect, it } from "vitest"
import type { Ending } from "../pass/ending.ts"
import { everydayCases } from "../testdata/everyday.ts"
import { endingOf } from "../testdata/runProgram.ts"
import { hostFunctions } from "./hostFunctions.ts"

const size = 65_536
const edges = [0, 1, size - 1, size, size + 1, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1]

type Import = (typeof hostImport)[keyof typeof hostImport]

/** Calls the import with these values; its answer, if it has one, becomes the exit code. */
const calling = (host: Import, values: ReadonlyArray<number>): Uint8Array => {
  const passed = host.parameters.flatMap((type, at) =>
    type === i32 ? i32Const(values[at] ?? 0) : i64Const(BigInt.asIntN(64, BigInt(values[at] ?? 0)))
  )
  const answers = "results" in host
  return encodeModule({
    imports: [host, hostImport.procExit],
    memory: 1,
    functions: [{ code: [...passed, ...call(0), ...(answers ? call(1) : [])] }]
  })
}

const endOf = (host: Import, phase: Phase, values: ReadonlyArray<number>): Ending =>
  endingOf(calling(host, values), phase, { gasLimit: 2n ** 62n })

const fits = (pointer: number, length: number): boolean => pointer + length <= size

const trapped = (ending: Ending): string | undefined =>
  ending.exitCode === 252 || ending.exitCode === 1 ? (ending.stderr[0] ?? "").replace("Runtime error: ", "") : undefined

/** Every choice of an edge for each of the parameters. */
const everyChoice = (count: number): ReadonlyArray<ReadonlyArray<number>> =>
  count === 0 ? [[]] : everyChoice(count - 1).flatMap((others) => edges.map((edge) => [...others, edge]))

/** Every pair of parameters at every pair of edges, the others all at one edge, in or out of bounds. */
const everyPair = (count: number): ReadonlyArray<ReadonlyArray<number>> =>
  everyChoice(2).flatMap(([one = 0, other = 0]) =>
    [0, 1, size].flatMap((rest) =>
      Array.from({ length: count }, (__, first) =>
        Array.from({ length: count - first - 1 }, (___, after) => {
          const chosen = Array.from({ length: count }, () => rest)
          chosen[first] = one
          chosen[first + 1 + after] = other
          return chosen
        })
      ).flat()
    )
  )

const isSoak = soakCount({ everyday: 0, full: 1 }) > 0

/** All choices, of six parameters all pairs (their choices are 262,144); of more than two parameters, a part on every change. */
const triedOf = (count: number): ReadonlyArray<ReadonlyArray<number>> => {
  const all = count > 4 ? everyPair(count) : everyChoice(count)
  const step = isSoak || all.length <= 64 ? 1 : Math.ceil(all.length / 200)
  // An odd step meets every edge of every parameter, because there are eight edges.
  return everydayCases(all.filter((__, at) => at % (step + 1 - (step % 2)) === 0))
}

/** Only functions that neither end the program nor need an answer from outside for garbage at these edges. */
const everywhere: ReadonlyArray<readonly [string, Import]> = Object.entries(hostImport)

describe("host functions at the edges", () => {
  it("are all covered here, with the types that programs are linked with", () => {
    const known = everywhere.map(([, host]) => host)
    for (const host of hostFunctions) {
      const mine = known.find(({ name }) => name === host.name)
      expect([mine?.parameters, mine !== undefined && "results" in mine ? mine.results : []]).toEqual([host.parameters, host.results])
    }
    expect(hostFunctions.map(({ name }) => name).toSorted()).toEqual(known.map(({ name }) => name).toSorted())
  })

  for (const phase of ["exec", "tally"] as const) {
    it.each(everywhere)(`${phase}: %s ends with an outcome of the program`, { timeout: 300_000 }, (_, host) => {
      const linkable = hostFunctions.some(({ name, phases }) => name === host.name && phases.includes(phase))
      for (const chosen of triedOf(host.parameters.length)) {
        const ending = endOf(host, phase, chosen)
        expect(ending.gasUsed).toBeGreaterThanOrEqual(5_000_000_000_000n)
        if (linkable) expect(ending.exitMessage, chosen.join()).toMatch(/^(Ok|Not ok)$/)
        else expect(ending.exitMessage).toContain("unknown import")
      }
    })
  }

  const pairs = everydayCases(edges.flatMap((pointer) => edges.map((length) => [pointer, length] as const)))

  it.each(pairs)("keccak256(%i, %i)", (pointer, length) => {
    expect(trapped(endOf(hostImport.keccak256, "tally", [pointer, length]))).toBe(
      fits(pointer, length) ? undefined : "memory access out of bounds"
    )
    expect(trapped(endOf(hostImport.keccak256, "exec", [pointer, length]))).toBe(
      length >= 2 ** 31 ? "Negative length provided" : fits(pointer, length) ? undefined : "memory access out of bounds"
    )
  })

  it.each(pairs)("execution_result(%i, %i)", (pointer, length) => {
    for (const phase of ["exec", "tally"] as const) {
      const ending = endOf(hostImport.executionResult, phase, [pointer, length])
      expect(trapped(ending)).toBe(
        length >= 2 ** 31 ? "Negative length provided" : fits(pointer, length) ? undefined : "memory access out of bounds"
      )
      expect(ending.resultLength).toBe(fits(pointer, length) && length < 2 ** 31 ? length : 0)
    }
  })

  it.each(pairs)("http_fetch(%i, %i) of no action", (pointer, length) => {
    const ending = endOf(hostImport.httpFetch, "exec", [pointer, length])
    expect(trapped(ending)).toBe(
      length >= 2 ** 31 ? "Negative length provided" : fits(pointer, length) ? undefined : "memory access out of bounds"
    )
  })

  it.each(pairs)("random_get(%i, %i)", (pointer, length) => {
    const ending = endOf(hostImport.randomGet, "exec", [pointer, length])
    expect(trapped(ending)).toBe(
      length >= 2 ** 31 ? "Negative length provided" : fits(pointer, length) ? undefined : "memory access out of bounds"
    )
  })

  it.each(pairs)("args_sizes_get(%i, %i)", (first, second) => {
    const right = fits(first, 4) && fits(second, 4)
    expect(endOf(hostImport.argsSizesGet, "tally", [first, second]).exitCode).toBe(right ? 0 : 28)
    expect(trapped(endOf(hostImport.argsSizesGet, "exec", [first, second]))).toBe(right ? undefined : "memory access out of bounds")
  })
})

describe("a program without memory", () => {
  it("may run in execution, but not access memory", () => {
    const program = (values: ReadonlyArray<number>): Uint8Array =>
      encodeModule({
        imports: [hostImport.keccak256],
        functions: [{ code: [...values.flatMap(i32Const), ...call(0), drop] }]
      })
    expect(endingOf(program([0, 1]), "exec").stderr).toEqual(["memory access out of bounds"])
    expect(endingOf(program([0, 1]), "tally").exitCode).toBe(3)
  })
})

describe("memory that grows between host calls", () => {
  it("is accessed at its new size", () => {
    const grown = encodeModule({
      imports: [hostImport.executionResult, hostImport.procExit],
      memory: 1,
      functions: [
        {
          code: [
            ...i32Const(1),
            0x40,
            0,
            drop,
            ...i32Const(size),
            ...i32Const(0x2a2a),
            ...i32Store(0),
            ...i32Const(size),
            ...i32Const(2),
            ...call(0)
          ]
        }
      ]
    })
    expect(endingOf(grown, "exec").result).toEqual(Uint8Array.of(0x2a, 0x2a))
  })
})
