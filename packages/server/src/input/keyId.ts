/** Reads a key's public id, given as the id or as the whole key. */
import { readApiKey } from "@sibyl/core/internal"
import { Option } from "effect"
import { type Asked, asked } from "./asked.ts"

const form = /^[0-9a-f]{12}$/

/** The rule of a key's name; completes "must be". */
const keyIdRule = "a key's public id: 12 hex characters, as sibyl key list shows it"

/** The public id. A refusal does not repeat the text, which may be a secret. */
export const readKeyId = (text: string): Asked<string> =>
  asked(
    "<key>",
    keyIdRule,
    text,
    (given) => (form.test(given) ? Option.some(given) : Option.fromNullable(readApiKey(given)?.apiKeyId)),
    "hidden"
  )
