/** The locals of a function whose gas is a parameter: the program's own keep their numbers, but for one. */
import { valueType } from "../binary/valueType.ts"
import type { BodySurvey } from "./bodySurvey.ts"
import type { ByteWriter } from "./byteWriter.ts"

/** Where everything is. The gas follows the parameters, and the local that stood there moves behind the others. */
export class FastLocals {
  readonly gas: number
  /** The program's local that stood where the gas is, and where it is now. */
  readonly displaced: number
  readonly displacedTo: number
  /** Scratch locals; only there where the survey found a use for them. */
  readonly i32: number
  readonly f32: number
  readonly f64: number
  /** The types of all that are declared, in their order. */
  readonly #declared: ReadonlyArray<number>

  /** `types` of the program's locals, parameters first. */
  constructor(types: Uint8Array, parameters: number, survey: BodySurvey) {
    this.gas = parameters
    this.displaced = parameters
    this.displacedTo = types.length
    const declared = types.length > parameters ? [...types.subarray(parameters + 1), types[parameters] ?? 0] : []
    const add = (type: number, wanted: boolean): number => {
      if (wanted) declared.push(type)
      return parameters + declared.length
    }
    this.i32 = add(valueType.i32, survey.callsIndirectly || survey.bulk)
    this.f32 = add(valueType.f32, survey.floats)
    this.f64 = add(valueType.f64, survey.floats)
    this.#declared = declared
  }

  /** The declarations, as groups of neighbours of one type. */
  write(out: ByteWriter): void {
    const groups: Array<{ count: number; readonly type: number }> = []
    for (const type of this.#declared) {
      const last = groups.at(-1)
      if (last?.type === type) last.count += 1
      else groups.push({ count: 1, type })
    }
    out.u32(groups.length)
    for (const { count, type } of groups) {
      out.u32(count)
      out.byte(type)
    }
  }
}
