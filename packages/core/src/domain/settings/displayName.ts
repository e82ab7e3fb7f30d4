/** The display name of an organization, a project or a key: free text on one line. */
import { Either } from "effect"
import { InvalidSetting } from "./invalidSetting.ts"

const maxCharacters = 100

// No line breaks, no lone surrogates, and nothing that changes the writing direction of adjacent text in a table.
const oneLine = /^(?!\s)[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]+(?<!\s)$/u

// A pattern takes a number for its digits.
const isName = (name: unknown): boolean => typeof name === "string" && oneLine.test(name) && Array.from(name).length <= maxCharacters

/** The accepted name; `field` is its name in the refusal. */
export const checkedName = <Name extends string | null>(field: string, name: Name): Either.Either<Name, InvalidSetting> =>
  name === null || isName(name)
    ? Either.right(name)
    : Either.left(
        new InvalidSetting({
          field,
          rule: `must be 1 to ${maxCharacters} characters on one line, without spaces at its ends or characters that change the direction of writing`
        })
      )
