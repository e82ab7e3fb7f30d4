/** Refuses a misspelled name among options, which would be ignored. */
import { InvalidOption } from "./invalidOption.ts"
import { didYouMean } from "./nearestName.ts"

/** Throws `InvalidOption` for what is no object, and for a name that is none. `path` stands before it in the message. */
export const checkNames = (given: unknown, known: Readonly<Record<string, true>>, path = ""): void => {
  if (typeof given !== "object" || given === null) throw new InvalidOption(path === "" ? "options" : path.slice(0, -1), "must be an object")
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(known, name))
  if (unknown !== undefined) throw new InvalidOption(`${path}${unknown}`, `is no option${didYouMean(unknown, Object.keys(known))}`)
}
