/** What code without types gives in place of an object, or with a misspelled name, which would be ignored. */
import { InvalidOption } from "../errors/clientError.ts"

/** Every name of an object. The compiler keeps such lists whole. */
export type NamesOf<Given> = Readonly<Record<keyof Given, true>>

/** Throws {@link InvalidOption} for what is no object, called `what`. */
export const checkObject = (what: string, given: unknown): void => {
  if (typeof given !== "object" || given === null) throw new InvalidOption(what, "must be an object")
}

/** The same. Throws {@link InvalidOption} for what is no object, called `what`, and for a name that is none. */
export const checkedNames = <Given extends object>(what: string, given: Given, names: NamesOf<Required<Given>>): Given => {
  checkObject(what, given)
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(names, name))
  if (unknown !== undefined) throw new InvalidOption(`${what}.${unknown}`, `is none of ${Object.keys(names).join(", ")}`)
  return given
}
