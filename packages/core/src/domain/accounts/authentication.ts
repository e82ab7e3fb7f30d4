/** Whether a presented API key matches a stored one, with the same refusal for every reason. */
import { Unauthorized } from "../../contract/errors.ts"
import { hashApiKey, readApiKey } from "./apiKey.ts"
import { equalInConstantTime } from "../encoding/constantTime.ts"
import { type KeyRecord, keyStateAt } from "./keyRecord.ts"

/** What a store has of a key when it is presented. */
export interface StoredKey extends Omit<KeyRecord, "name" | "createdAtMs"> {
  /** `hashApiKey` of the key. */
  readonly hash: string
}

/** The one refusal: unknown, revoked, expired, malformed and wrong keys cannot be told apart. */
export const keyRefused = (): Unauthorized => new Unauthorized({ message: "The API key is not valid" })

/** The public id under which a store looks a key up; `undefined` if it cannot be a key of this network. */
export const keyIdFor = (network: string, key: string): string | undefined => {
  const form = readApiKey(key)
  return form?.network === network ? form.apiKeyId : undefined
}

const hashOfNothing = hashApiKey("")

/** Whether `key` matches `stored` at `nowMs`. It compares even if nothing is stored, so that timing reveals nothing. */
export const keyOpens = (key: string, stored: StoredKey | undefined, nowMs: number): stored is StoredKey => {
  const same = equalInConstantTime(hashApiKey(key), stored?.hash ?? hashOfNothing)
  return stored !== undefined && same && keyStateAt(stored, nowMs) === "active"
}
