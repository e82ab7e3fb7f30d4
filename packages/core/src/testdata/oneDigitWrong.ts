/** A generator of copies of golden data in which exactly one digit, number or boolean is wrong. */
import fc from "fast-check"

type Path = ReadonlyArray<string | number>

const leavesOf = (value: unknown, path: Path = []): ReadonlyArray<Path> => {
  if (typeof value !== "object" || value === null) return value === null ? [] : [path]
  return Object.entries(value).flatMap(([name, member]) => leavesOf(member, [...path, name]))
}

const at = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((node, name) => (node as Readonly<Record<string | number, unknown>>)[name], value)

const replaced = (value: unknown, path: Path, leaf: unknown): unknown => {
  const [name, ...rest] = path
  if (name === undefined) return leaf
  const change = (member: unknown, key: string): unknown => (key === String(name) ? replaced(member, rest, leaf) : member)
  return Array.isArray(value)
    ? value.map((member: unknown, index) => change(member, String(index)))
    : Object.fromEntries(Object.entries(value as object).map(([key, member]) => [key, change(member, key)]))
}

/** Another digit: decimal for a decimal one, so that decimal texts stay decimal, hex for letters. */
const otherDigit = (digit: string): fc.Arbitrary<string> =>
  fc.constantFrom(..."0123456789abcdef".slice(0, /[0-9]/.test(digit) ? 10 : 16)).filter((other) => other !== digit)

const wrongLeaf = (leaf: unknown): fc.Arbitrary<unknown> => {
  if (typeof leaf === "boolean") return fc.constant(!leaf)
  if (typeof leaf === "number") return fc.constant(leaf + 1)
  const text = String(leaf)
  const digits = [...text].flatMap((character, index) => (/[0-9a-f]/.test(character) ? [index] : []))
  // An empty byte string has no digit to change; it becomes one zero byte.
  return digits.length === 0
    ? fc.constant(`${text}00`)
    : fc
        .constantFrom(...digits)
        .chain((index) => otherDigit(text.charAt(index)).map((digit) => text.slice(0, index) + digit + text.slice(index + 1)))
}

/** The same value with one leaf changed. Leaves named in `except` (descriptions) are not changed. */
export const oneDigitWrong = <Value>(value: Value, except: ReadonlyArray<string> = []): fc.Arbitrary<Value> => {
  const leaves = leavesOf(value).filter((path) => !except.some((name) => path.includes(name)))
  return fc.constantFrom(...leaves).chain((path) => wrongLeaf(at(value, path)).map((leaf) => replaced(value, path, leaf) as Value))
}
