/** Host calls near the end of the engine's stack: the correct answer if there is enough room, or an overflow. */
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { defaultLimits } from "@sibyl/core"
import { call, encodeModule, end, hostImport, i32, i32Add, i32Const, i64Const, localGet } from "@sibyl/testing/wasm"
import { expect, it } from "vitest"
import { pass } from "../../pass/pass.ts"
import { prepareProgram } from "../../pass/prepare.ts"
import { inputOf } from "../../testdata/runProgram.ts"
import { requireStackRoom } from "./stackRoom.ts"

const secretKey = new Uint8Array(32).fill(7)
const message = [...new TextEncoder().encode("signed")]
const signature = secp256k1.sign(keccak_256(Uint8Array.from(message)), secretKey, { prehash: false })
const publicKey = secp256k1.getPublicKey(secretKey, true)

const recursion = 3
const ifThen = 0x04
const noResult = 0x40

/** Verifies a valid signature this many frames deep; its answer is the result's only byte and the exit code. */
const verifyingAt = (depth: number): Uint8Array => {
  const verify = [
    ...i32Const(0),
    ...i64Const(BigInt(message.length)),
    ...i32Const(64),
    ...i32Const(64),
    ...i32Const(128),
    ...i32Const(33),
    ...call(0)
  ]
  return encodeModule({
    imports: [hostImport.secp256k1Verify, hostImport.procExit, hostImport.argsGet],
    memory: 1,
    data: [
      { offset: 0, bytes: message },
      { offset: 64, bytes: [...signature] },
      { offset: 128, bytes: [...publicKey] }
    ],
    functions: [
      {
        parameters: [i32],
        code: [
          ...localGet(0),
          ifThen,
          noResult,
          ...localGet(0),
          ...i32Const(-1),
          i32Add,
          ...call(recursion),
          end,
          ...localGet(0),
          0x45,
          ifThen,
          noResult,
          ...verify,
          ...call(1),
          end
        ]
      },
      { code: [...i32Const(depth), ...call(recursion)] }
    ]
  })
}

/** The exit code, which is the answer, or that the stack overflowed. */
const endAt = (depth: number): number | "overflow" => {
  const result = pass(prepareProgram(verifyingAt(depth), "exec", defaultLimits.memoryPages), inputOf("exec"))
  if (result.kind === "needs") throw new Error("the program asked for something")
  return result.kind === "stackOverflow" ? "overflow" : result.ending.exitCode
}

/** Three hundred signatures and twenty searches, each a module of its own: eight seconds on Bun, more beside other suites. */
const patience = { timeout: 240_000 }

it("a valid signature is valid at every depth at which there is an answer", patience, () => {
  let fits = 0
  let overflows = 1_000_000
  while (overflows - fits > 1) {
    const middle = Math.floor((fits + overflows) / 2)
    if (endAt(middle) === "overflow") overflows = middle
    else fits = middle
  }
  expect(fits).toBeGreaterThan(1_000)
  const ends = Array.from({ length: 300 }, (_, at) => endAt(fits - 200 + at))
  expect(new Set(ends)).toEqual(new Set([1, "overflow"]))
})

const overflows = (act: () => void): boolean => {
  try {
    act()
    return false
  } catch (fault) {
    if (fault instanceof RangeError) return true
    throw fault
  }
}

/** Goes down until the stack overflows, and on the way back up tells of each depth whether these do. */
const depthsWith = (acts: ReadonlyArray<() => void>): ReadonlyArray<ReadonlyArray<boolean>> => {
  const found: Array<ReadonlyArray<boolean>> = []
  const down = (): void => {
    try {
      down()
    } catch {
      // At the deepest places there is no room for the questions either.
    }
    if (found.length < 3_000) found.push(acts.map(overflows))
  }
  down()
  return found
}

it("the room is that of 8,192 arguments, and is missing wherever 7,000 do not fit", () => {
  const takes = (count: number) => {
    const values = Array.from({ length: count }, () => 0)
    return () => Reflect.apply(() => {}, undefined, values)
  }
  const tests = [requireStackRoom, takes(7_000), takes(9_500)]
  // Frames change their size while engines compile what is called often.
  for (let time = 0; time < 20_000; time += 1) requireStackRoom()
  for (let time = 0; time < 5; time += 1) depthsWith(tests)
  const depths = depthsWith(tests)
  const missing = (which: number): number => depths.filter((at) => at[which]).length
  expect(depths.filter(([room, few]) => few && !room)).toEqual([])
  expect([missing(1) > 50, missing(0) >= missing(1), missing(0) <= missing(2)]).toEqual([true, true, true])
  expect(missing(2)).toBeLessThan(depths.length)
})
