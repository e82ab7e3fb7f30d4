/**
 * A generator of valid programs with many branches: blocks with and without values, loops, tables, early returns, unreachable code, calls
 * of all kinds.
 */
import { call, encodeModule, end, hostImport, i32, i32Const, i32Store, i64, i64Const, localGet, localSet, u32 } from "@sibyl/testing/wasm"
import fc from "fast-check"

type Code = ReadonlyArray<number>

/** The operand of a branch to a label: nothing, or an i32. Branches with other types (functions with other results) use `return`. */
type Label = "nothing" | "i32" | "others"

interface Signature {
  readonly parameters: ReadonlyArray<number>
  readonly results: ReadonlyArray<number>
}

const plain: Signature = { parameters: [i32], results: [i32] }
const wide: Signature = { parameters: [i32, i64], results: [i64] }
const bare: Signature = { parameters: [], results: [] }
const several: Signature = { parameters: [i32], results: [i32, i64] }

const resultImport = 0
const argumentsImport = 2
const importCount = 3
/** The callable functions, in the order of their indices; the entry follows them. */
const signatures = (multiValue: boolean): ReadonlyArray<Signature> => [plain, wide, bare, plain, multiValue ? several : plain]

const op = { block: 0x02, loop: 0x03, if: 0x04, else: 0x05, br: 0x0c, brIf: 0x0d, brTable: 0x0e, return: 0x0f, drop: 0x1a } as const
const fuel = 0
const noType = 0x40

/** Locals besides the parameters: two i32, one i64, one f64 and one i32 for results of blocks. */
const ownLocals = [i32, i64, i32, 0x7c, i32]

/** Writes one program from a random source. */
class ProgramWriter {
  readonly #random: () => number
  readonly #multiValue: boolean
  #labels: ReadonlyArray<Label> = []
  #signature: Signature = bare
  #base = 0

  constructor(seed: number, multiValue: boolean) {
    let state = seed | 1
    this.#random = () => {
      state ^= state << 13
      state ^= state >>> 17
      state ^= state << 5
      return (state >>> 0) / 2 ** 32
    }
    this.#multiValue = multiValue
  }

  #below(count: number): number {
    return Math.floor(this.#random() * count)
  }

  #one<A>(items: ReadonlyArray<A>): A {
    return items[this.#below(items.length)] as A
  }

  /** The writer's own locals: 0 and 2 are i32 for values, 4 for results of blocks. */
  #local(at: number): number {
    return this.#base + at
  }

  #value(depth = 2): Code {
    const simple: ReadonlyArray<() => Code> = [
      () => i32Const(this.#below(9) - 2),
      () => localGet(this.#local(this.#one([0, 2]))),
      () => [0x23, fuel]
    ]
    const deep: ReadonlyArray<() => Code> = [
      () => [...this.#value(depth - 1), ...this.#value(depth - 1), this.#one([0x6a, 0x6b, 0x6c, 0x71, 0x73, 0x4a, 0x46])],
      () => [...this.#value(depth - 1), ...this.#value(depth - 1), this.#one([0x6d, 0x70])],
      () => [...this.#value(depth - 1), ...i32Const(0xfc), 0x71, 0x28, 2, 0],
      () => [...this.#value(depth - 1), 0xb7, 0x9f, 0xbd, 0xa7],
      () => this.#call()
    ]
    return depth === 0 || this.#random() < 0.6 ? this.#one(simple)() : this.#one(deep)()
  }

  /** A call that leaves an i32. */
  #call(): Code {
    const choice = this.#below(5)
    const argument = this.#value(0)
    if (choice < 2) return [...argument, ...call(importCount + this.#one([0, 3]))]
    if (choice === 2) return [...argument, ...i64Const(7n), ...call(importCount + 1), 0xa7]
    if (choice === 3) return [...argument, ...i32Const(this.#below(40)), ...i32Const(3), 0x71, 0x11, ...u32(importCount), 0]
    return this.#multiValue ? [...argument, ...call(importCount + 4), 0xa7, 0x6a] : [...argument, ...call(importCount + 4)]
  }

  #inside(label: Label, code: () => Code): Code {
    const outer = this.#labels
    this.#labels = [...outer, label]
    const written = code()
    this.#labels = outer
    return written
  }

  /** A label's number and operand type, among those that a branch can name. */
  #anyLabel(wanted: ReadonlyArray<Label>): readonly [number: number, label: Label] | undefined {
    const fitting = this.#labels
      .map((label, at) => [this.#labels.length - 1 - at, label] as const)
      .filter(([, label]) => wanted.includes(label))
    return fitting.length === 0 ? undefined : this.#one(fitting)
  }

  #returned(): Code {
    return this.#signature.results.flatMap((type) => (type === i32 ? this.#value(1) : i64Const(BigInt(this.#below(99)))))
  }

  #branch(): Code {
    const found = this.#anyLabel(["nothing", "i32"])
    const choice = this.#below(6)
    if (choice === 0) return [...this.#returned(), op.return]
    if (found === undefined) return []
    const [number, label] = found
    const taken = label === "i32" ? this.#value(1) : []
    if (choice === 1) return [...taken, op.br, ...u32(number)]
    if (choice === 2) {
      const numbers = [this.#anyLabel([label]), this.#anyLabel([label]), found].map((each) => each?.[0] ?? number)
      return [...taken, ...this.#value(1), op.brTable, ...u32(2), ...numbers.flatMap(u32)]
    }
    return [...taken, ...this.#value(1), op.brIf, ...u32(number), ...(label === "i32" ? [op.drop] : [])]
  }

  #block(level: number): Code {
    const gives = this.#random() < 0.4
    if (!gives) return [op.block, noType, ...this.#inside("nothing", () => this.#statements(level - 1)), end]
    const code = this.#inside("i32", () => [...this.#statements(level - 1), ...this.#value(1)])
    return [op.block, i32, ...code, end, ...localSet(this.#local(4))]
  }

  #conditional(level: number): Code {
    const gives = this.#random() < 0.3
    const arm = (): Code =>
      this.#inside(gives ? "i32" : "nothing", () => [...this.#statements(level - 1), ...(gives ? this.#value(1) : [])])
    const otherwise = gives || this.#random() < 0.5 ? [op.else, ...arm()] : []
    return [...this.#value(), op.if, gives ? i32 : noType, ...arm(), ...otherwise, end, ...(gives ? localSet(this.#local(4)) : [])]
  }

  /** Uses up fuel at each iteration, and ends when there is none. */
  #loop(level: number): Code {
    const body = this.#inside("nothing", () =>
      this.#inside("nothing", () => [
        ...this.#burn(),
        ...[op.brIf, 1],
        ...this.#statements(level - 1),
        ...this.#one<Code>([[], [...this.#value(1), op.brIf, 0], [op.br, 0]])
      ])
    )
    return [op.block, noType, op.loop, noType, ...body, end, end]
  }

  /** fuel -= 1, and whether none is left. */
  #burn(): Code {
    return [0x23, fuel, ...i32Const(1), 0x6b, 0x24, fuel, 0x23, fuel, ...i32Const(0), 0x48]
  }

  #simple(): Code {
    const choice = this.#below(10)
    if (choice < 4) return [...this.#value(), ...localSet(this.#local(this.#one([0, 2])))]
    if (choice < 6) return [...this.#value(1), ...i32Const(0x7c), 0x71, ...this.#value(), ...i32Store(0)]
    if (choice === 6) return [...i32Const(0), ...i32Const(this.#below(4)), ...call(resultImport)]
    if (choice === 7) return [...i32Const(256), ...this.#value(1), ...i32Const(this.#below(3) * 50_000), 0xfc, 11, 0]
    if (choice === 8) return [...i32Const(256), ...i32Const(260), ...call(argumentsImport), op.drop]
    return this.#random() < 0.05 ? [0x00] : call(importCount + 2)
  }

  #statements(level: number): Code {
    return Array.from({ length: 1 + this.#below(4) }, (): Code => {
      const choice = this.#random()
      if (level <= 0 || choice < 0.35) return this.#simple()
      if (choice < 0.55) return this.#branch()
      if (choice < 0.7) return this.#block(level)
      return choice < 0.85 ? this.#conditional(level) : this.#loop(level)
    }).flat()
  }

  #function(signature: Signature, level: number, last: Code = []): Code {
    this.#signature = signature
    this.#base = signature.parameters.length
    const { results } = signature
    const label: Label = results.length === 0 ? "nothing" : results.length === 1 && results[0] === i32 ? "i32" : "others"
    return this.#inside(label, () => [
      ...this.#burn(),
      op.if,
      noType,
      ...this.#inside("nothing", () => [...this.#returned(), op.return]),
      end,
      ...this.#statements(level),
      ...last,
      ...this.#returned()
    ])
  }

  write(level: number, startFuel: number): Uint8Array {
    const callable = signatures(this.#multiValue).map((signature) => ({
      ...signature,
      locals: ownLocals,
      code: this.#function(signature, level - 1)
    }))
    const give = [0, 2, 4].flatMap((at) => [...i32Const(512 + 4 * at), ...localGet(at), ...i32Store(0)])
    const shown = [...i32Const(528), 0x23, fuel, ...i32Store(0), ...i32Const(0), ...i32Const(640), ...call(resultImport)]
    return encodeModule({
      imports: [hostImport.executionResult, hostImport.procExit, hostImport.argsSizesGet],
      memory: 3,
      globals: [{ type: i32, mutable: true, initial: i32Const(startFuel) }],
      table: [importCount, importCount + 3, importCount, importCount + 1],
      functions: [...callable, { locals: ownLocals, code: this.#function(bare, level, [...give, ...shown]) }]
    })
  }
}

/** A program that ends by itself, or traps. It may recurse, and return early or late. */
export const branchingProgram = (options: { readonly multiValue: boolean }): fc.Arbitrary<Uint8Array> =>
  fc
    .record({ seed: fc.integer(), level: fc.integer({ min: 1, max: 4 }), startFuel: fc.integer({ min: 1, max: 300 }) })
    .map(({ level, seed, startFuel }) => new ProgramWriter(seed, options.multiValue).write(level, startFuel))
