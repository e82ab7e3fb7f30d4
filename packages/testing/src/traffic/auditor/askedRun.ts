/** What a request asks for, read from what was sent as the specification says (decisions D4 to D7), without the service's own reader. */
import { isEqualJson, isMembers, parsed } from "../history/json.ts"

/** An execution that is asked for. Ids are in lowercase without `0x`. */
export interface AskedRun {
  readonly execProgramId: string
  readonly tallyProgramId: string
  readonly execInputs: Uint8Array
  readonly tallyInputs: Uint8Array
  readonly options: AskedOptions
}

/** How its answer is asked for. */
export interface AskedOptions {
  readonly returnLastResult: boolean
  /** Seconds; only with `returnLastResult`. */
  readonly maxAge: number | undefined
  readonly includeSummary: boolean
  readonly includeDebugInfo: boolean
  readonly dryRun: boolean
  readonly encoding: "hex" | "base64" | "utf8" | "json"
  readonly injects: boolean
  readonly mode: "success" | "last"
}

/** A request: an execution, what has to be refused, or what may be either. `tags`: of the allowed refusals. */
export type Asked =
  | { readonly kind: "run"; readonly run: AskedRun; readonly isUnclear: boolean }
  | { readonly kind: "refused"; readonly tags: ReadonlyArray<string>; readonly why: string }

/** Stands for a value that breaks its rule. */
const broken = Symbol("broken")
type Read<Value> = Value | typeof broken | undefined

const flag = (value: unknown): Read<boolean> => {
  if (typeof value === "boolean") return value
  const word = typeof value === "string" ? value.toLowerCase() : typeof value === "number" ? String(value) : "?"
  return ["true", "1", ""].includes(word) ? true : ["false", "0"].includes(word) ? false : broken
}

const oneOf =
  <const Word extends string>(...words: ReadonlyArray<Word>) =>
  (value: unknown): Read<Word> =>
    words.find((word) => word === value) ?? broken

const age = (value: unknown): Read<number> => {
  const text = typeof value === "number" || typeof value === "string" ? String(value) : ""
  return /^[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?$/.test(text) ? Number(text) : broken
}

/** A program's id; other texts may be names, which is left to the service. */
const program = (value: unknown): Read<string> => {
  if (typeof value !== "string") return broken
  return /^(0x)?[0-9a-f]{64}$/i.test(value) ? value.slice(-64).toLowerCase() : value
}

const readers = {
  execProgramId: program,
  tallyProgramId: program,
  inputEncoding: oneOf("auto", "hex", "utf8", "base64"),
  returnLastResult: flag,
  includeSummary: flag,
  includeDebugInfo: flag,
  noPrefetch: flag,
  includeRecording: flag,
  dryRun: flag,
  injectLastResult: oneOf("success", "last", "none"),
  encoding: oneOf("hex", "base64", "utf8", "json"),
  mode: oneOf("success", "last")
} as const

const knownNames = [...Object.keys(readers), "execInputs", "tallyInputs", "returnLastResultMaxAge"]

const letters = (name: string): string => name.replaceAll(/[^a-z]/gi, "").toLowerCase()

/** Whether a service may take a name for a misspelled one, and refuse it. */
const mayBeMisspelled = (name: string): boolean =>
  !knownNames.includes(name) && knownNames.some((known) => known.toLowerCase() === letters(name))

/** One place that has parameters: the query, a repeated name in it, the body, the params of a message. */
export type Place = ReadonlyMap<string, unknown>

const valuesOf = (places: ReadonlyArray<Place>, name: string): ReadonlyArray<unknown> =>
  places.map((place) => place.get(name)).filter((value) => value !== undefined && value !== null)

/** The one meaning of a parameter: broken if a value breaks the rule, or if two places differ. */
const meaningOf = <Value>(places: ReadonlyArray<Place>, name: string, read: (value: unknown) => Read<Value>): Read<Value> => {
  const [first, ...others] = valuesOf(places, name).map(read)
  return others.every((other) => isEqualJson(other, first)) ? first : broken
}

const hexBytes = (digits: string): Read<Uint8Array> =>
  /^([0-9a-f]{2})*$/i.test(digits) ? new Uint8Array(Buffer.from(digits, "hex")) : broken

const utf8Bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

const base64Bytes = (text: string): Read<Uint8Array> => {
  const digits = text.replace(/={0,2}$/, "")
  const isBase64 = /^[A-Za-z0-9+/_-]*$/.test(digits) && digits.length % 4 !== 1
  return isBase64 ? new Uint8Array(Buffer.from(digits, "base64")) : broken
}

const inputBytes =
  (encoding: string) =>
  (value: unknown): Read<Uint8Array> => {
    if (typeof value === "object") return utf8Bytes(JSON.stringify(value))
    if (typeof value !== "string") return broken
    if (encoding === "utf8") return utf8Bytes(value)
    if (encoding === "base64") return base64Bytes(value)
    if (encoding === "hex") return hexBytes(value.replace(/^0x/, ""))
    return value.startsWith("0x") ? hexBytes(value.slice(2)) : utf8Bytes(value)
  }

const refused = (why: string, ...tags: ReadonlyArray<string>): Asked => ({ kind: "refused", tags, why })

const isBroken = (value: unknown): value is typeof broken => value === broken

/** Reads an execution from every place that has parameters. */
export const askedOf = (places: ReadonlyArray<Place>): Asked => {
  const meant = Object.fromEntries(Object.entries(readers).map(([name, read]) => [name, meaningOf<unknown>(places, name, read)])) as {
    readonly [Name in keyof typeof readers]: ReturnType<(typeof readers)[Name]>
  }
  const encoding = isBroken(meant.inputEncoding) ? "auto" : (meant.inputEncoding ?? "auto")
  const execInputs = meaningOf(places, "execInputs", inputBytes(encoding))
  const tallyInputs = meaningOf(places, "tallyInputs", inputBytes(encoding))
  const maxAge = meant.returnLastResult === true ? meaningOf(places, "returnLastResultMaxAge", age) : undefined
  const all = { ...meant, execInputs, tallyInputs, returnLastResultMaxAge: maxAge }
  const wrong = Object.entries(all).find(([, value]) => isBroken(value))
  if (wrong !== undefined) return refused(wrong[0], "InvalidParameter")
  const { execProgramId, mode = "last" } = meant
  if (execProgramId === undefined || isBroken(execProgramId)) return refused("execProgramId", "InvalidParameter", "InvalidRequest")
  const names = new Set(places.flatMap((place) => [...place.keys()]))
  const run: AskedRun = {
    execProgramId,
    tallyProgramId: (meant.tallyProgramId as string | undefined) ?? execProgramId,
    execInputs: (execInputs as Uint8Array | undefined) ?? new Uint8Array(),
    tallyInputs: (tallyInputs as Uint8Array | undefined) ?? new Uint8Array(),
    options: {
      returnLastResult: meant.returnLastResult === true,
      maxAge: maxAge as number | undefined,
      includeSummary: meant.includeSummary === true,
      includeDebugInfo: meant.includeDebugInfo === true,
      dryRun: meant.dryRun === true,
      encoding: (meant.encoding as AskedOptions["encoding"] | undefined) ?? "hex",
      injects: meant.injectLastResult === "success" || meant.injectLastResult === "last",
      mode: mode as AskedOptions["mode"]
    }
  }
  return { kind: "run", run, isUnclear: [...names].some(mayBeMisspelled) }
}

/** The places of a query: a name that comes again is in a place of its own. */
export const placesOfQuery = (query: ReadonlyArray<readonly [string, string]>): ReadonlyArray<Place> =>
  query.map(([name, value]) => new Map([[name, value]]))

/** The place of an object; `undefined` if the value is none. */
export const placeOf = (value: unknown): Place | undefined => (isMembers(value) ? new Map(Object.entries(value)) : undefined)

/** Reads the body of a request, or says how it has to be refused. */
export const bodyPlace = (body: string | undefined, contentType: string | undefined): Place | Asked => {
  if (!/^application\/json\b/.test(contentType ?? "")) return refused("the body is not declared as JSON", "UnsupportedMediaType")
  const value = parsed(body ?? "")
  return placeOf(value) ?? refused("the body is no JSON object", "InvalidRequest")
}
