/** Small modules that are expensive to compile, because the cost grows with the product of two of their sizes. */
import {
  call,
  drop,
  encodeModule,
  end,
  f64,
  type FunctionSource,
  hostImport,
  i32,
  i32Add,
  i32Const,
  i64,
  localGet,
  localSet,
  type Signature,
  u32
} from "@sibyl/testing/wasm"

type Code = ReadonlyArray<number>

const times = (count: number, code: Code | ((at: number) => Code)): Code =>
  Array.from({ length: count }, (_, at) => (typeof code === "function" ? code(at) : code)).flat()

/** The type index of the signatures that a module has in addition to those of its import and two functions. */
const ownType = 3

/** A module whose entry calls `attack` once with ones. Function 1 is the attack, or what it calls. */
const moduleOf = (attack: FunctionSource, types: ReadonlyArray<Signature> = [], table?: ReadonlyArray<number>): Uint8Array => {
  const ones: ReadonlyMap<number, Code> = new Map([
    [i32, [0x41, 1]],
    [i64, [0x42, 1]],
    [f64, [0x44, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f]]
  ])
  const { parameters = [] } = attack
  const code = [...parameters.flatMap((type) => ones.get(type) ?? []), ...call(1)]
  return encodeModule({
    imports: [hostImport.procExit],
    memory: 1,
    types,
    ...(table === undefined ? {} : { table }),
    functions: [attack, { code }]
  })
}

const one = [i32]
const ifOnce: Code = [...localGet(0), 0x04, 0x40, end]
const branchOut: Code = [...localGet(0), 0x0d, 0]
const changeAll = (locals: number): Code => times(locals, (at) => [...localGet(1 + at), ...localGet(0), i32Add, ...localSet(1 + at)])
const changeAndBranch = (locals: number, branches: number): Code =>
  times(branches, (at) => [...localGet(1 + (at % locals)), ...i32Const(3), i32Add, 0x22, ...u32(1 + ((at * 5 + 1) % locals)), 0x0d, 0])

/** A module whose entry calls many functions with the same code again and again, so that all of them become hot. */
const hotModule = (functions: number, code: Code): Uint8Array =>
  encodeModule({
    imports: [hostImport.procExit],
    memory: 1,
    functions: [
      ...Array.from({ length: functions }, () => ({ parameters: one, code })),
      { code: [0x03, 0x40, ...times(functions, (at) => [...i32Const(0), ...call(1 + at)]), 0x0c, 0, end] }
    ]
  })

/** Generators, named after the two sizes. */
export const compileBomb = {
  /** Locals times branches. */
  localsIf: (locals: number, branches: number) => moduleOf({ parameters: one, localRuns: [[locals, i64]], code: times(branches, ifOnce) }),
  localsBranch: (locals: number, branches: number) =>
    moduleOf({
      parameters: one,
      localRuns: [[locals, i64]],
      code: times(branches, [0x02, 0x40, ...branchOut, end])
    }),
  localsLoops: (locals: number, loops: number) =>
    moduleOf({ parameters: one, localRuns: [[locals, i64]], code: times(loops, [0x03, 0x40, end]) }),
  /** Operands times branches. */
  operandsIf: (operands: number, branches: number) =>
    moduleOf({
      parameters: one,
      code: [...times(operands, localGet(0)), ...times(branches, ifOnce), ...times(operands, [drop])]
    }),
  operandsCalls: (operands: number, calls: number) =>
    moduleOf({
      parameters: one,
      code: [
        ...times(operands, localGet(0)),
        ...times(calls, [...i32Const(0), 0x04, 0x40, ...localGet(0), ...call(1), end]),
        ...times(operands, [drop])
      ]
    }),
  /** Parameters times branches. */
  parametersIf: (parameters: number, branches: number) =>
    moduleOf({ parameters: Array.from({ length: parameters }, () => i32), code: times(branches, ifOnce) }),
  /** Parameters and results of blocks. */
  blockTypes: (arity: number, blocks: number) => {
    const types = Array.from({ length: arity }, () => i32)
    return moduleOf(
      {
        parameters: one,
        code: [...times(arity, localGet(0)), ...times(blocks, [0x02, ownType, ...branchOut, end]), ...times(arity, [drop])]
      },
      [{ parameters: types, results: types }]
    )
  },
  /** Locals times targets of one table. */
  brTable: (locals: number, targets: number) =>
    moduleOf({
      parameters: one,
      localRuns: [[locals, i64]],
      code: [0x02, 0x40, ...localGet(0), 0x0e, ...u32(targets), ...times(targets, [0]), 0, end]
    }),
  brTableResults: (arity: number, targets: number) =>
    moduleOf(
      {
        parameters: one,
        code: [
          ...[0x02, ownType, ...times(arity, localGet(0)), ...localGet(0), 0x0e],
          ...[...u32(targets), ...times(targets, [0]), 0, end, ...times(arity, [drop])]
        ]
      },
      [{ parameters: [], results: Array.from({ length: arity }, () => i32) }]
    ),
  /** A table with targets in nested blocks, each of which changes a local. */
  brTableNested: (locals: number, depth: number) =>
    moduleOf({
      parameters: one,
      localRuns: [[locals, i64]],
      code: [
        ...[...times(depth, [0x02, 0x40]), ...localGet(0), 0x0e, ...u32(depth - 1), ...times(depth, u32)],
        ...times(depth, (at) => [0x42, 1, ...localSet(1 + (at % locals)), end])
      ]
    }),
  /** Values merged after a block. */
  forwardJoins: (locals: number, branches: number) =>
    moduleOf({
      parameters: one,
      localRuns: [[locals, i32]],
      code: [0x02, 0x40, ...changeAll(locals), ...changeAndBranch(locals, branches), end]
    }),
  /** Values merged at the head of one loop, for every branch back. */
  backEdges: (locals: number, branches: number) =>
    moduleOf({
      parameters: one,
      localRuns: [[locals, i32]],
      code: [0x03, 0x40, ...changeAll(locals), ...changeAndBranch(locals, branches), end]
    }),
  /** Values merged at the heads of nested loops. */
  nestedLoops: (locals: number, depth: number) =>
    moduleOf({
      parameters: one,
      localRuns: [[locals, i32]],
      code: [...times(depth, [0x03, 0x40]), ...changeAll(locals), ...times(depth, [...branchOut, end])]
    }),
  /** Values merged at the heads of loops one after the other; the first is endless. */
  loopRow: (locals: number, loops: number) =>
    moduleOf({
      parameters: one,
      localRuns: [[locals, i32]],
      code: times(loops, [0x03, 0x40, ...changeAll(locals), ...branchOut, end])
    }),
  /** Values alive across calls of the engine. */
  fillsAcross: (locals: number, fills: number) =>
    moduleOf({
      parameters: one,
      localRuns: [[locals, i32]],
      code: [...changeAll(locals), ...times(fills, [...i32Const(0), ...i32Const(0), ...i32Const(0), 0xfc, 11, 0]), ...changeAll(locals)]
    }),
  growsAcross: (locals: number, grows: number) =>
    moduleOf({
      parameters: one,
      localRuns: [[locals, i32]],
      code: [...changeAll(locals), ...times(grows, [...i32Const(0), 0x40, 0, drop]), ...changeAll(locals)]
    }),
  /** Calls through a table, behind an endless loop. */
  indirectCalls: (calls: number) =>
    moduleOf(
      { parameters: one, code: [0x03, 0x40, ...branchOut, end, ...times(calls, [...localGet(0), 0x11, ownType, 0])] },
      [{ parameters: [], results: [] }],
      [0]
    ),
  /** Many functions, all hot: of branches, of loops, of copies of memory. */
  hotIfs: (functions: number, ifs: number) => hotModule(functions, times(ifs, ifOnce)),
  hotLoops: (functions: number, loops: number) => hotModule(functions, times(loops, [0x03, 0x40, ...branchOut, end])),
  hotCopies: (functions: number, copies: number) =>
    hotModule(functions, times(copies, [...localGet(0), ...localGet(0), ...localGet(0), 0xfc, 10, 0, 0])),
  /** The same branches over five operands, whose exact build was nine times the module, and took 2.9 s. */
  hotOperands: (functions: number, ifs: number) =>
    hotModule(functions, [...times(5, localGet(0)), ...times(ifs, ifOnce), ...times(5, [drop])]),
  /** One long function. */
  ifs: (count: number) => moduleOf({ parameters: one, code: times(count, ifOnce) }),
  returns: (count: number) => moduleOf({ parameters: one, code: times(count, branchOut) }),
  loops: (count: number) => moduleOf({ parameters: one, code: times(count, [0x03, 0x40, end]) }),
  divisions: (count: number) => moduleOf({ parameters: [i64], code: [...localGet(0), ...times(count, [...localGet(0), 0x7f]), drop] }),
  floatStores: (count: number) => moduleOf({ parameters: [f64, i32], code: times(count, [...localGet(1), ...localGet(0), 0x39, 3, 0]) }),
  fills: (count: number) =>
    moduleOf({
      parameters: one,
      code: times(count, [...i32Const(0), ...i32Const(0), ...i32Const(0), 0xfc, 11, 0])
    })
} as const
