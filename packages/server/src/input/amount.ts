/** Credits and gas as people write them: whole numbers of any size, with commas or underscores between the digits. */
import { Option } from "effect"

const form = /^(?:[0-9]+|[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,3}(?:_[0-9]{3})+)$/

/** The rule of an amount; completes "must be". */
export const amountRule = "a whole number such as 1000000 or 1,000,000"

/** The amount. */
export const readAmount = (text: string): Option.Option<bigint> =>
  form.test(text) ? Option.some(BigInt(text.replaceAll(/[,_]/g, ""))) : Option.none()

/** An amount with commas. */
export const amountText = (amount: bigint): string => amount.toLocaleString("en-US")
