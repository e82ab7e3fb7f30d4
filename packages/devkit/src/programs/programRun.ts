/** What a test asks of a program. */
import type { GasLimits } from "@sibyl/core"
import type { AnswerRequest } from "./cannedHttp.ts"
import type { LastResultInput } from "./lastReport.ts"

/** One request to a program. */
export interface ProgramRun {
  readonly program: Uint8Array
  /** Default: the same program. */
  readonly tallyProgram?: Uint8Array | undefined
  /** Text in the form of `inputEncoding`, or an object or list whose compact JSON is the input. Default: empty. */
  readonly execInputs?: unknown
  readonly tallyInputs?: unknown
  /** As over REST; `auto` is hex after `0x`, else UTF-8. Default `auto`. */
  readonly inputEncoding?: string | undefined
  readonly gasLimits?: Partial<GasLimits> | undefined
  readonly lastResult?: LastResultInput | undefined
  /** The constant time of the program's clock, epoch milliseconds. Default: the current time. */
  readonly clockMs?: number | undefined
  /** Answers the program's requests. Default: the bench's HTTP. */
  readonly http?: AnswerRequest | undefined
  /** A build of `program`'s sources with the names of its functions, for a bench that profiles. Default: the program itself. */
  readonly symbols?: Uint8Array | undefined
}
