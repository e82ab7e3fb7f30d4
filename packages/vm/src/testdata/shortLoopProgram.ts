/** A generator of programs made of short loops that call nothing, left and gone on with in every way there is. */
import { call, encodeModule, end, hostImport, i32, i32Const, i32Store, localGet, localSet } from "@sibyl/testing/wasm"
import fc from "fast-check"

type Code = ReadonlyArray<number>

const op = {
  block: 0x02,
  loop: 0x03,
  if: 0x04,
  else: 0x05,
  br: 0x0c,
  brIf: 0x0d,
  return: 0x0f,
  add: 0x6a,
  sub: 0x6b,
  and: 0x71,
  lessThan: 0x48
}
const noType = 0x40

/** Local 0 counts what is left for all loops together; 1 and 2 are changed by them. */
const fuel = 0

/** Takes one off the fuel and leaves whether none is left: every loop ends by it. */
const burn: Code = [...localGet(fuel), ...i32Const(1), op.sub, 0x22, fuel, ...i32Const(0), op.lessThan]

const change = fc
  .tuple(
    fc.integer({ min: 1, max: 2 }),
    fc.integer({ min: 1, max: 2 }),
    fc.constantFrom(op.add, op.sub, op.and),
    fc.integer({ min: -3, max: 60 })
  )
  .map(([to, from, operator, value]): Code => [...localGet(from), ...i32Const(value), operator, ...localSet(to)])

/** Whether a bit of a local is set. */
const test = fc
  .tuple(fc.integer({ min: 0, max: 2 }), fc.integer({ min: 0, max: 3 }))
  .map(([local, bit]): Code => [...localGet(local), ...i32Const(2 ** bit), op.and])

/** Label 0 goes on with the loop, 1 leaves it, 2 leaves a block around it; `inside` counts the blocks that were opened since. */
const way = (inside: number): fc.Arbitrary<Code> =>
  fc.oneof(
    fc.tuple(test, fc.integer({ min: 0, max: 2 })).map(([when, label]): Code => [...when, op.brIf, label + inside]),
    fc.tuple(test).map(([when]): Code => [...when, op.if, noType, op.return, end])
  )

const step: fc.Arbitrary<Code> = fc.oneof(
  { weight: 3, arbitrary: change },
  { weight: 2, arbitrary: way(0) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(test, fc.oneof(change, way(1)), fc.oneof(change, way(1)))
      .map(([when, one, other]): Code => [...when, op.if, noType, ...one, op.else, ...other, end])
  }
)

/** Goes on by a condition or always, or falls out of the loop. */
const last: fc.Arbitrary<Code> = fc.oneof(
  fc.constant([op.br, 0]),
  test.map((when): Code => [...when, op.brIf, 0]),
  fc.constant([])
)

const loop = fc
  .tuple(fc.array(step, { maxLength: 4 }), last)
  .map(([steps, ending]): Code => [op.block, noType, op.loop, noType, ...burn, op.brIf, 1, ...steps.flat(), ...ending, end, end])

/** The program, and how many loops it has. */
export const shortLoopProgram: fc.Arbitrary<Uint8Array> = fc
  .tuple(fc.array(loop, { minLength: 1, maxLength: 5 }), fc.integer({ min: 1, max: 200 }))
  .map(([loops, startFuel]) => {
    const shown = [0, 1, 2].flatMap((at): Code => [...i32Const(4 * at), ...localGet(at), ...i32Store(0)])
    const around = loops.flatMap((code): Code => [op.block, noType, ...code, end, ...shown])
    return encodeModule({
      imports: [hostImport.executionResult, hostImport.procExit],
      memory: 1,
      functions: [
        { parameters: [i32], locals: [i32, i32], results: [], code: around },
        { locals: [], code: [...i32Const(startFuel), ...call(2), ...i32Const(0), ...i32Const(12), ...call(0)] }
      ]
    })
  })
