/** Names that an operator gives to programs, which clients may use instead of a program's id. */
import { hexIdForm, plainHexId } from "./hexId.ts"

const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"

/** Two or more DNS labels: the dot distinguishes a name from a misspelled id. */
const nameForm = new RegExp(`^(?=.{3,128}$)${label}(?:\\.${label})+$`)

/** The rule for a name, as told to operators. */
export const programNameRule =
  "must be two or more labels of a-z, 0-9 and inner hyphens, joined by dots, at most 128 characters, such as v1.prices.acme"

/** The rule for a reference to a program, as told to clients. */
export const programReferenceRule = "must be 64 hex characters, with or without 0x, or a program's name such as v1.prices.acme"

/** Whether `text` has the form of a name, which no id has. */
export const isProgramName = (text: string): boolean => text.includes(".") && nameForm.test(text)

/** Either form of a reference: an id or a name. */
export const programReferenceForm = new RegExp(`${hexIdForm.source}|${nameForm.source}`)

/** The normalized reference: an id in lowercase without `0x`, a name unchanged. */
export const plainReference = (text: string): string => (hexIdForm.test(text) ? plainHexId(text) : text)
