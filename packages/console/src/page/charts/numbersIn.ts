/** The numbers in a result, which a chart can show: a plain function. */

/** The most numbers that are offered. */
const most = 40

const numberOf = (value: unknown): number | undefined => {
  if (typeof value === "number") return value
  // Amounts that are too long for JSON's numbers are texts of digits, also after 0x.
  if (typeof value !== "string" || !/^(?:-?\d{1,30}(?:\.\d+)?|0x[0-9a-f]{1,64})$/i.test(value)) return undefined
  return Number(value)
}

/** Each number by its place, such as `price` or `pairs.0.rate`; the value itself has the place "". */
export const numbersIn = (value: unknown): ReadonlyMap<string, number> => {
  const found = new Map<string, number>()
  const visit = (inside: unknown, place: string): void => {
    if (found.size >= most) return
    const number = numberOf(inside)
    if (number !== undefined) found.set(place, number)
    else if (typeof inside === "object" && inside !== null) {
      for (const [name, member] of Object.entries(inside)) visit(member, place === "" ? name : `${place}.${name}`)
    }
  }
  visit(value, "")
  return found
}
