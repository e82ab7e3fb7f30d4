/** The types of a fast build. */
import { writeOwnTypes } from "./build.ts"
import type { FunctionType, ModuleShape } from "../binary/moduleShape.ts"
import { valueType } from "../binary/valueType.ts"
import type { ByteWriter } from "./byteWriter.ts"

const noBlockType = 0x40

/** The types that the build adds after the program's: each with gas, then the blocks, then two of its own. */
export class FastTypes {
  readonly #module: ModuleShape
  /** The results of blocks that have no short form, by their types. */
  readonly #blocks = new Map<string, number>()
  readonly #blockResults: Array<ReadonlyArray<number>> = []

  constructor(module: ModuleShape) {
    this.#module = module
    for (const { results } of module.types) {
      if (results.length < 2 || this.#blocks.has(String(results))) continue
      this.#blocks.set(String(results), 2 * module.types.length + this.#blockResults.length)
      this.#blockResults.push(results)
    }
  }

  /** The program's type with gas as an additional parameter and result. */
  withGas(original: number): number {
    return this.#module.types.length + original
  }

  /** The type without parameters and results. */
  get refill(): number {
    return 2 * this.#module.types.length + this.#blockResults.length
  }

  /** The type with gas as parameter and result. */
  get more(): number {
    return this.refill + 1
  }

  /** Writes the type of a block with the results of a function. */
  writeBlock(out: ByteWriter, { results }: FunctionType): void {
    if (results.length < 2) out.byte(results[0] ?? noBlockType)
    else out.signed(this.#blocks.get(String(results)) ?? 0)
  }

  /** The entries of the type section, with their count. */
  write(out: ByteWriter): void {
    const { types } = this.#module
    const write = (parameters: ReadonlyArray<number>, results: ReadonlyArray<number>): void => {
      out.byte(0x60)
      for (const list of [parameters, results]) {
        out.u32(list.length)
        out.bytes(list)
      }
    }
    out.u32(this.more + 1)
    writeOwnTypes(out, this.#module)
    for (const { parameters, results } of types) write([...parameters, valueType.i64], [...results, valueType.i64])
    for (const results of this.#blockResults) write([], results)
    write([], [])
    write([valueType.i64], [valueType.i64])
  }
}
