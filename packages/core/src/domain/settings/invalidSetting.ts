/** A value that an operator gave and that breaks its rule. */
import { Data } from "effect"

/** Names the field as the operator writes it (`gasLimits.exec`) and the rule that it breaks. */
export class InvalidSetting extends Data.TaggedError("InvalidSetting")<{
  readonly field: string
  readonly rule: string
}> {
  override get message(): string {
    return `${this.field} ${this.rule}`
  }
}
