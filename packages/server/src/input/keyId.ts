/** Which key is meant: its public id, or the whole key, of which only the id is used. */
import { readApiKey } from "@sibyl/core/internal"
import { Option } from "effect"
import { type Asked, asked } from "./asked.ts"

const form = /^[0-9a-f]{12}$/

/** What a key has to be named by; it completes "must be". */
const keyIdRule = "a key's public id: 12 hex characters, as sibyl key list shows it"

/** The public id. Whatever else was given might be a secret, so the refusal does not repeat it. */
export const readKeyId = (text: string): Asked<string> =>
  asked(
    "<key>",
    keyIdRule,
    text,
    (given) => (form.test(given) ? Option.some(given) : Option.fromNullable(readApiKey(given)?.apiKeyId)),
    "hidden"
  )
