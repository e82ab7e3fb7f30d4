/** A registered data proxy: who it is, what a call through it costs, and the rules that hold for both. */
import { Either } from "effect"
import { checkedName } from "../settings/displayName.ts"
import { InvalidSetting } from "../settings/invalidSetting.ts"
import { proxyKeyOf, proxyKeyRule } from "./proxyKey.ts"

/** A registered data proxy. */
export interface DataProxy {
  /** SEC1 compressed, 66 lowercase hex characters. */
  readonly publicKey: string
  /** For people, 1 to 100 characters. */
  readonly name: string
  /** For each answer with a status of 200 to 299. */
  readonly feeCredits: bigint
  /** An inactive one keeps its settings; to programs and clients it is not registered. */
  readonly active: boolean
  /** When its key was registered first, in ms since 1970. */
  readonly registeredAtMs: number
}

/** What an operator says about a proxy; the key may be written in any form that `proxyKeyOf` reads. */
export type DataProxyInput = Omit<DataProxy, "registeredAtMs">

/** The largest fee, 2^128 − 1 credits: what the network's own records hold. */
export const maxProxyFeeCredits = 2n ** 128n - 1n

const checkedFee = (feeCredits: bigint): Either.Either<bigint, InvalidSetting> =>
  feeCredits >= 0n && feeCredits <= maxProxyFeeCredits
    ? Either.right(feeCredits)
    : Either.left(new InvalidSetting({ field: "feeCredits", rule: `must be 0 to ${maxProxyFeeCredits}` }))

/** The proxy as it is kept, its key in the one spelling; or the rule that the input breaks. */
export const checkedProxy = (input: DataProxyInput): Either.Either<DataProxyInput, InvalidSetting> =>
  Either.gen(function* () {
    const publicKey = proxyKeyOf(input.publicKey)
    if (publicKey === undefined) {
      return yield* Either.left(new InvalidSetting({ field: "publicKey", rule: proxyKeyRule }))
    }
    const name = yield* checkedName("name", input.name)
    return { publicKey, name, feeCredits: yield* checkedFee(input.feeCredits), active: input.active }
  })
