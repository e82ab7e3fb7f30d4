/** The limits of a service: those that are given, and the defaults of the others. */
import { brokenCount } from "./brokenCount.ts"
import { defaultLimits, leastOfLimit, type Limits, mostOfLimit } from "./limits.ts"
import { didYouMean } from "./nearestName.ts"
import { InvalidOption } from "./invalidOption.ts"

const names = Object.keys(defaultLimits)

const isLimit = (name: string): name is keyof Limits => Object.hasOwn(defaultLimits, name)

/** The rule that a limit breaks, if it does. */
const brokenRule = (name: keyof Limits, value: unknown): string | undefined => {
  const [least, most] = [leastOfLimit(name), mostOfLimit(name)]
  if (typeof defaultLimits[name] === "bigint") {
    return typeof value === "bigint" && value >= BigInt(least) ? undefined : `must be a bigint, ${least} or more`
  }
  return brokenCount(value, least, most)
}

/** Fills in the defaults, also where a value is `undefined`. Throws {@link InvalidOption} for a limit that there is not, or that breaks its rule. */
export const checkedLimits = (given: { readonly [Name in keyof Limits]?: Limits[Name] | undefined } = {}): Limits => {
  if (typeof (given as unknown) !== "object" || (given as unknown) === null) throw new InvalidOption("limits", "must be an object")
  const chosen = Object.entries(given).filter(([, value]) => value !== undefined)
  for (const [name, value] of chosen) {
    if (!isLimit(name)) throw new InvalidOption(`limits.${name}`, `is no limit${didYouMean(name, names)}`)
    const rule = brokenRule(name, value)
    if (rule !== undefined) throw new InvalidOption(`limits.${name}`, `${rule}, not ${String(value)}`)
  }
  return { ...defaultLimits, ...Object.fromEntries(chosen) }
}
