/** An option of an embedder that breaks its rule. */

/** Reported before the service starts. */
export class InvalidOption extends Error {
  readonly _tag = "InvalidOption"
  /** The option's name, such as `limits.feedOverlap`. */
  readonly option: string
  /** What its value must be. */
  readonly rule: string

  constructor(option: string, rule: string) {
    super(`${option}: ${rule}`)
    this.name = "InvalidOption"
    this.option = option
    this.rule = rule
  }
}
