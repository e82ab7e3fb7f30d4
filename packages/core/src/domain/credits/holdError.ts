/** The error for the caller whose hold was refused. */
import { CreditLimitExceeded, InsufficientCredits } from "../../contract/errors.ts"
import type { HoldRefusal } from "./credits.ts"

/** The error that states a refusal: 403 if credits are missing, 429 if the usage limit is reached. */
export const holdErrorOf = (refusal: HoldRefusal): InsufficientCredits | CreditLimitExceeded => {
  const { _tag, ...said } = refusal
  return _tag === "InsufficientCredits" ? new InsufficientCredits(said) : new CreditLimitExceeded(said)
}
