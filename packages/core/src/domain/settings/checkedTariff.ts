/** The rates of a tariff, by the rules that the settings of a server have. */
import type { Tariff } from "../credits/price.ts"
import { checkNames } from "./checkNames.ts"
import { InvalidOption } from "./invalidOption.ts"

const tariffNames: Readonly<Record<keyof Tariff, true>> = { baseCredits: true, gasPerCredit: true, gasPerWorkerMs: true }

/** A credit that pays for no gas would have no price. */
const leastOf = (name: string): bigint => (name === "gasPerCredit" ? 1n : 0n)

/** The tariff. Throws {@link InvalidOption} for a rate that there is not, and for the first that is missing or breaks its rule. */
export const checkedTariff = (given: Tariff): Tariff => {
  checkNames(given, tariffNames, "tariff.")
  const rates: Readonly<Record<string, unknown>> = { ...given }
  for (const name of Object.keys(tariffNames)) {
    const [rate, least] = [rates[name], leastOf(name)]
    if (typeof rate !== "bigint" || rate < least) throw new InvalidOption(`tariff.${name}`, `must be a bigint, ${least} or more`)
  }
  return given
}
