/** The query of a request target, by name; a `+` is a space (decision D5). */
import { Either } from "effect"
import { InvalidParameter } from "../../contract/errors.ts"

const decode = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text.replaceAll("+", " "))
  } catch {
    return undefined
  }
}

/**
 * Every parameter with its value (empty if it has none). The first map has the first value of each name; each further
 * value of a name that matters is in a map of its own, because only the reader of a parameter can tell whether two texts
 * mean the same (`true` and `1`). Never empty.
 */
export const readQuery = (
  query: string,
  matters: (name: string) => boolean = () => true
): Either.Either<ReadonlyArray<ReadonlyMap<string, string>>, InvalidParameter> => {
  const parameters = new Map<string, string>()
  const others = new Map<string, ReadonlyMap<string, string>>()
  for (const part of query.split("&")) {
    if (part === "") continue
    const equals = part.indexOf("=")
    const rawName = equals < 0 ? part : part.slice(0, equals)
    const name = decode(rawName)
    const value = equals < 0 ? "" : decode(part.slice(equals + 1))
    if (name === undefined || value === undefined) {
      return Either.left(InvalidParameter.because(name ?? rawName.slice(0, 100), "must be percent-encoded UTF-8"))
    }
    const before = parameters.get(name)
    if (before === undefined) parameters.set(name, value)
    else if (before !== value && matters(name)) others.set(`${name}=${value}`, new Map([[name, value]]))
  }
  return Either.right([parameters, ...others.values()])
}

/** The refusal of a parameter that is given twice with different values. */
export const givenTwice = (name: string): InvalidParameter => InvalidParameter.because(name, "is given twice with different values")
