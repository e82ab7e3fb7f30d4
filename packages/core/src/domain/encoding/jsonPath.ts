/** The subset of JSONPath (RFC 9535) that consensus filters use: names, indices, wildcards, slices, descendants; no filter expressions. */
import { isJsonArray, isJsonObject, type Json } from "./losslessJson.ts"

type Selector =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "index"; readonly index: number }
  | { readonly kind: "wildcard" }
  | { readonly kind: "slice"; readonly start?: number; readonly end?: number; readonly step: number }

interface Segment {
  readonly descendant: boolean
  readonly selectors: ReadonlyArray<Selector>
}

/** A parsed path. */
export type JsonPath = ReadonlyArray<Segment>

const nameForm = /[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff-]*/
const quotedForm = /\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')\s*/
const sliceForm = /\s*(-?\d+)?\s*:\s*(-?\d+)?\s*(?::\s*(-?\d+)?)?\s*/
const indexForm = /\s*(-?\d+)\s*/
const wildcardForm = /\s*\*\s*/

const matchAt = (form: RegExp, text: string, at: number): RegExpExecArray | undefined => {
  const sticky = new RegExp(form, "y")
  sticky.lastIndex = at
  return sticky.exec(text) ?? undefined
}

const unquote = (double: string | undefined, single: string | undefined): string | undefined => {
  // A single-quoted name differs from a JSON string only in its quotes.
  const body = double ?? (single ?? "").replaceAll("\\'", "'").replaceAll('"', '\\"')
  try {
    return String(JSON.parse(`"${body}"`))
  } catch {
    return undefined
  }
}

const optionalInteger = <Key extends string>(key: Key, digits: string | undefined): Partial<Record<Key, number>> =>
  digits === undefined ? {} : ({ [key]: Number(digits) } as Record<Key, number>)

const bracketSelector = (text: string, at: number): { readonly selector: Selector; readonly next: number } | undefined => {
  const quoted = matchAt(quotedForm, text, at)
  if (quoted !== undefined) {
    const name = unquote(quoted[1], quoted[2])
    return name === undefined ? undefined : { selector: { kind: "name", name }, next: at + quoted[0].length }
  }
  const wildcard = matchAt(wildcardForm, text, at)
  if (wildcard !== undefined) return { selector: { kind: "wildcard" }, next: at + wildcard[0].length }
  const slice = matchAt(sliceForm, text, at)
  if (slice !== undefined) {
    const bounds = { ...optionalInteger("start", slice[1]), ...optionalInteger("end", slice[2]) }
    const step = slice[3] === undefined ? 1 : Number(slice[3])
    return { selector: { kind: "slice", ...bounds, step }, next: at + slice[0].length }
  }
  const index = matchAt(indexForm, text, at)
  if (index === undefined) return undefined
  return { selector: { kind: "index", index: Number(index[1]) }, next: at + index[0].length }
}

const bracketSelectors = (text: string, start: number) => {
  const selectors: Array<Selector> = []
  let at = start
  for (;;) {
    const read = bracketSelector(text, at)
    if (read === undefined) return undefined
    selectors.push(read.selector)
    at = read.next
    if (text[at] === "]") return { selectors, next: at + 1 }
    if (text[at] !== ",") return undefined
    at += 1
  }
}

const dottedSelectors = (text: string, at: number) => {
  if (text[at] === "*") return { selectors: [{ kind: "wildcard" } as const], next: at + 1 }
  const name = matchAt(nameForm, text, at)?.[0]
  return name === undefined ? undefined : { selectors: [{ kind: "name", name } as const], next: at + name.length }
}

/** Parses a path; `undefined` if it is outside of the supported subset. */
export const readJsonPath = (text: string): JsonPath | undefined => {
  if (!text.startsWith("$")) return undefined
  const path: Array<Segment> = []
  let at = 1
  while (at < text.length) {
    const descendant = text.startsWith("..", at)
    const dotted = !descendant && text[at] === "."
    const after = at + (descendant ? 2 : dotted ? 1 : 0)
    const bracket = text[after] === "[" && !dotted
    if (!bracket && !dotted && !descendant) return undefined
    const read = bracket ? bracketSelectors(text, after + 1) : dottedSelectors(text, after)
    if (read === undefined) return undefined
    path.push({ descendant, selectors: read.selectors })
    at = read.next
  }
  return path
}

const childrenOf = (node: Json): ReadonlyArray<Json> => (isJsonArray(node) ? node : isJsonObject(node) ? [...node.values()] : [])

const descendantsOf = (node: Json): ReadonlyArray<Json> => [node, ...childrenOf(node).flatMap(descendantsOf)]

const sliceOf = (items: ReadonlyArray<Json>, { start, end, step }: Extract<Selector, { kind: "slice" }>) => {
  if (step === 0) return []
  const clamp = (index: number, low: number, high: number): number =>
    Math.min(Math.max(index < 0 ? index + items.length : index, low), high)
  const picked: Array<Json> = []
  const forward = step > 0
  const from = clamp(start ?? (forward ? 0 : items.length - 1), forward ? 0 : -1, forward ? items.length : items.length - 1)
  const to = end === undefined ? (forward ? items.length : -1) : clamp(end, forward ? 0 : -1, forward ? items.length : items.length - 1)
  for (let at = from; forward ? at < to : at > to; at += step) {
    const item = items[at]
    if (item !== undefined) picked.push(item)
  }
  return picked
}

const select = (node: Json, selector: Selector): ReadonlyArray<Json> => {
  switch (selector.kind) {
    case "wildcard":
      return childrenOf(node)
    case "name": {
      const member = isJsonObject(node) ? node.get(selector.name) : undefined
      return member === undefined ? [] : [member]
    }
    case "index": {
      const item = isJsonArray(node) ? node.at(selector.index) : undefined
      return item === undefined ? [] : [item]
    }
    case "slice":
      return isJsonArray(node) ? sliceOf(node, selector) : []
  }
}

/** The nodes that a path selects, in document order for each segment. */
export const selectNodes = (root: Json, path: JsonPath): ReadonlyArray<Json> =>
  path.reduce<ReadonlyArray<Json>>(
    (nodes, { descendant, selectors }) => {
      const from = descendant ? nodes.flatMap(descendantsOf) : nodes
      return from.flatMap((node) => selectors.flatMap((selector) => select(node, selector)))
    },
    [root]
  )
