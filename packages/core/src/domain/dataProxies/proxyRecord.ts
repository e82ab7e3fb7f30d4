/** A registered data proxy: its key, its name, its fee, and the rules for them. */
import { Either } from "effect"
import { checkedName } from "../settings/displayName.ts"
import { InvalidSetting } from "../settings/invalidSetting.ts"
import { proxyKeyOf, proxyKeyRule } from "./proxyKey.ts"

/** A registered data proxy. */
export interface DataProxy {
  /** SEC1 compressed, 66 lowercase hex characters. */
  readonly publicKey: string
  /** A display name, 1 to 100 characters. */
  readonly name: string
  /** For each answer with a status of 200 to 299. */
  readonly feeCredits: bigint
  /** An inactive proxy keeps its settings, but counts as unregistered for programs and clients. */
  readonly active: boolean
  /** When its key was first registered, in ms since the Unix epoch. */
  readonly registeredAtMs: number
}

/** The settings of a proxy; the key may be in any form that `proxyKeyOf` accepts. */
export type DataProxyInput = Omit<DataProxy, "registeredAtMs">

/** The largest fee, 2^128 − 1 credits: the range of the network's own records. */
export const maxProxyFeeCredits = 2n ** 128n - 1n

const refuse = (field: string, rule: string): Either.Either<never, InvalidSetting> => Either.left(new InvalidSetting({ field, rule }))

// Settings may come from code without types.
const isBigint = (given: unknown): boolean => typeof given === "bigint"
const isFlag = (given: unknown): boolean => typeof given === "boolean"

const checkedFee = (feeCredits: bigint): Either.Either<bigint, InvalidSetting> => {
  if (!isBigint(feeCredits)) return refuse("feeCredits", "must be a bigint")
  return feeCredits >= 0n && feeCredits <= maxProxyFeeCredits
    ? Either.right(feeCredits)
    : refuse("feeCredits", `must be 0 to ${maxProxyFeeCredits}`)
}

/** The proxy with its key normalized, or the rule that the input breaks. */
export const checkedProxy = (input: DataProxyInput): Either.Either<DataProxyInput, InvalidSetting> =>
  Either.gen(function* () {
    const given: unknown = input.publicKey
    const publicKey = typeof given === "string" ? proxyKeyOf(given) : undefined
    if (publicKey === undefined) return yield* refuse("publicKey", proxyKeyRule)
    const name = yield* checkedName("name", input.name)
    const feeCredits = yield* checkedFee(input.feeCredits)
    // A missing one would register a proxy that counts as unregistered.
    if (!isFlag(input.active)) return yield* refuse("active", "must be true or false")
    return { publicKey, name, feeCredits, active: input.active }
  })
