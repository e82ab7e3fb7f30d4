/** The error for an invalid value that an operator gave. */
import { Data } from "effect"

/** Contains the field as the operator writes it (`gasLimits.exec`) and the rule that it breaks. */
export class InvalidSetting extends Data.TaggedError("InvalidSetting")<{
  readonly field: string
  readonly rule: string
}> {
  override get message(): string {
    return `${this.field} ${this.rule}`
  }
}
