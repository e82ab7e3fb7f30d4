/** The locals of a function whose gas is a parameter: the program's own keep their numbers, but for one. */
import type { BodyReader } from "../binary/bodyReader.ts"
import { valueType, type ValueType } from "../binary/valueType.ts"
import type { BodySurvey } from "./survey/bodySurvey.ts"
import type { ByteWriter } from "./byteWriter.ts"

/** The positions of the locals; reused from function to function. */
export class FastLocals {
  /** The gas follows the parameters, and the local that stood there moves behind the others. */
  gas = 0
  /** The new index of that local. */
  displacedTo = 0
  /** Scratch locals; only there where the survey found a use for them. */
  i32 = 0
  f32 = 0
  f64 = 0
  /** The types of all declared locals, in order. */
  #declared = new Uint8Array(64)
  #count = 0

  /** Writes the declarations of a function with so many parameters; the reader stands at its first operator. */
  declare(out: ByteWriter, { locals, localTypes }: BodyReader, parameters: number, survey: BodySurvey): void {
    this.gas = parameters
    this.displacedTo = locals
    this.#count = 0
    if (this.#declared.length < locals + 3) this.#declared = new Uint8Array(2 * locals + 3)
    for (let at = parameters + 1; at < locals; at += 1) this.#add(localTypes[at] ?? 0)
    if (locals > parameters) this.#add(localTypes[parameters] ?? 0)
    this.i32 = this.#scratch(valueType.i32, survey.callsIndirectly || survey.bulk)
    this.f32 = this.#scratch(valueType.f32, survey.floats)
    this.f64 = this.#scratch(valueType.f64, survey.floats)
    this.#write(out)
  }

  /** As runs of equal types. */
  #write(out: ByteWriter): void {
    const declared = this.#declared
    const count = this.#count
    let groups = 0
    for (let at = 0; at < count; at += 1) if (at === 0 || declared[at] !== declared[at - 1]) groups += 1
    out.u32(groups)
    for (let from = 0; from < count;) {
      let to = from + 1
      while (to < count && declared[to] === declared[from]) to += 1
      out.u32(to - from)
      out.byte(declared[from] ?? 0)
      from = to
    }
  }

  #add(type: number): void {
    this.#declared[this.#count] = type
    this.#count += 1
  }

  #scratch(type: ValueType, wanted: boolean): number {
    if (wanted) this.#add(type)
    return this.gas + this.#count
  }
}
