/** A name that people give to an organization, a project or a key: free text that fits on a line. */
import { Either } from "effect"
import { InvalidSetting } from "./invalidSetting.ts"

const maxCharacters = 100

// No line breaks, no lone surrogates, nothing that turns the writing direction of what stands beside it in a table.
const oneLine = /^(?!\s)[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]+(?<!\s)$/u

/** The name as it is kept; `field` is what the refusal calls it. */
export const checkedName = <Name extends string | null>(field: string, name: Name): Either.Either<Name, InvalidSetting> =>
  name === null || (oneLine.test(name) && Array.from(name).length <= maxCharacters)
    ? Either.right(name)
    : Either.left(
        new InvalidSetting({
          field,
          rule: `must be 1 to ${maxCharacters} characters on one line, without spaces at its ends`
        })
      )
