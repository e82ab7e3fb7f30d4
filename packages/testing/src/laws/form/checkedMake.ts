/** What laws are given to make their layers: wrong use is told where the laws are asked for, not as a fault inside of one. */
import { InvalidOption } from "@sibyl/core"
import { Layer } from "effect"

const kindOf = (value: unknown): string => {
  if (Layer.isLayer(value)) return "a layer"
  if (value instanceof Promise) return "a promise"
  return value === null || value === undefined ? String(value) : `of type ${typeof value}`
}

/** The same function, which throws {@link InvalidOption} if it makes no layer. Throws it at once for what is no function, such as a layer. */
export const checkedMake = <Args extends ReadonlyArray<unknown>, Made>(
  make: (...args: Args) => Layer.Layer<Made>
): ((...args: Args) => Layer.Layer<Made>) => {
  if (typeof make !== "function")
    throw new InvalidOption("make", `must be a function that makes a new layer for each law, such as () => layer; it is ${kindOf(make)}`)
  return (...args) => {
    const made = make(...args)
    if (!Layer.isLayer(made)) throw new InvalidOption("make", `must return a layer of effect; what it returned is ${kindOf(made)}`)
    return made
  }
}
