/** Names that an operator gives to programs, which clients may write where a program's id is asked for. */
import { hexIdForm, plainHexId } from "./hexId.ts"

const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"

/** Labels as in DNS, two or more: the dot tells a name from a misspelled id. */
const nameForm = new RegExp(`^(?=.{3,128}$)${label}(?:\\.${label})+$`)

/** What a name has to be, in the words that an operator is told. */
export const programNameRule =
  "must be two or more labels of a-z, 0-9 and inner hyphens, joined by dots, at most 128 characters, such as v1.prices.acme"

/** What stands for a program in a request, in the words that a client is told. */
export const programReferenceRule = "must be 64 hex characters, with or without 0x, or a program's name such as v1.prices.acme"

/** Whether `text` has the form of a name; no id has it. */
export const isProgramName = (text: string): boolean => nameForm.test(text)

/** Either form of a reference: an id or a name. */
export const programReferenceForm = new RegExp(`${hexIdForm.source}|${nameForm.source}`)

/** A reference in one spelling: an id in lowercase without `0x`, a name as it is. */
export const plainReference = (text: string): string => (hexIdForm.test(text) ? plainHexId(text) : text)
