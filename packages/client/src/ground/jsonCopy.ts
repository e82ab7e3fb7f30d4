/** What is sent as JSON, as it is when it is given: what JSON cannot hold is found before anything is sent, and what changes later is not sent. */
import { InvalidOption } from "../errors/clientError.ts"

const rule = "must be what JSON can hold: it has a bigint, or contains itself"

const copyOf = (what: string, value: unknown): unknown => {
  let text: string | undefined
  try {
    text = JSON.stringify(value)
  } catch {
    throw new InvalidOption(what, rule)
  }
  return text === undefined ? undefined : JSON.parse(text)
}

/** The same through JSON. Throws {@link InvalidOption} with the name of the member that JSON cannot hold, of an object called `what`. */
export const jsonCopy = <Given extends object>(what: string, given: Given): Given =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name, copyOf(`${what}.${name}`, value)])) as Given
