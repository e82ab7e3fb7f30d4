/** A JSON (RFC 8259) parser that keeps what `JSON.parse` loses: the digits of numbers and the order of all keys. */

/** A number with its digits as written. */
export class JsonNumber {
  readonly digits: string
  constructor(digits: string) {
    this.digits = digits
  }
}

/** A JSON value; an object is a map in the order of its keys (a repeated key keeps its first place and last value). */
export type Json = null | boolean | string | JsonNumber | ReadonlyArray<Json> | ReadonlyMap<string, Json>

/** Why a text is refused. `at` counts UTF-16 units from 0. */
export interface JsonFault {
  readonly at: number
  readonly message: string
}

/** A parsed value, or where parsing failed. */
export type JsonRead =
  | {
      readonly ok: true
      readonly value: Json
      /** The path (`outer.inner`) of the first key that occurs twice in its object with different values; lists are not searched. */
      readonly repeated?: string
    }
  | { readonly ok: false; readonly fault: JsonFault }

/** Maximum nesting depth of arrays and objects: enough for any document, and safe for every engine's stack. */
export const maxJsonDepth = 512

/** Ends parsing; it is caught in this file. */
class Stop extends Error {
  readonly at: number
  constructor(at: number, message: string) {
    super(message)
    this.at = at
  }
}

/** What an object or list takes, in time and memory, of what a string or number takes. */
const costOfNest = 4

/**
 * Engines do not copy slices: one of 13 characters or more keeps the whole text in memory. A feed keeps the ids in its request for as long as it
 * runs, so that of a text longer than this, slices are copied.
 */
const longestKept = 16_384
/** With the quotes. Shorter slices are copied by the engine. */
const longestCopied = 14

const [quote, backslash, colon, comma, closingBrace, closingBracket] = [0x22, 0x5c, 0x3a, 0x2c, 0x7d, 0x5d]

/** The state of one parse. */
class Reader {
  #at = 0
  /** The keys of the objects around the current position. */
  readonly #path: Array<string> = []
  /** See {@link JsonRead}. */
  repeated: string | undefined
  readonly #text: string
  readonly #maxValues: number
  #costLeft: number
  // Sticky expressions, each with its own position.
  readonly #numberForm = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
  readonly #escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
  constructor(text: string, maxValues: number) {
    this.#text = text
    this.#maxValues = maxValues
    this.#costLeft = maxValues
  }

  whole(): Json {
    this.#skip()
    const value = this.#value(0)
    this.#skip()
    if (this.#at !== this.#text.length) throw new Stop(this.#at, "unexpected text after the value")
    return value
  }

  #value(depth: number): Json {
    this.#pay(1)
    switch (this.#text[this.#at]) {
      case "{":
        return this.#object(this.#deeper(depth))
      case "[":
        return this.#array(this.#deeper(depth))
      case '"':
        return this.#string()
      case "t":
        return this.#word("true", true)
      case "f":
        return this.#word("false", false)
      case "n":
        return this.#word("null", null)
      case undefined:
        throw new Stop(this.#at, "unexpected end of text")
      default:
        return this.#number()
    }
  }

  #pay(cost: number): void {
    this.#costLeft -= cost
    if (this.#costLeft < 0) throw new Stop(this.#at, `more than ${this.#maxValues} values (an object or list counts as ${costOfNest})`)
  }

  #deeper(depth: number): number {
    this.#pay(costOfNest - 1)
    if (depth >= maxJsonDepth) throw new Stop(this.#at, `nested deeper than ${maxJsonDepth}`)
    return depth + 1
  }

  #object(depth: number): Json {
    const members = new Map<string, Json>()
    this.#at += 1
    this.#skip()
    if (this.#take(closingBrace)) return members
    for (;;) {
      if (this.#text[this.#at] !== '"') throw new Stop(this.#at, "expected a key")
      const key = this.#string()
      this.#skip()
      if (!this.#take(colon)) throw new Stop(this.#at, "expected ':'")
      this.#skip()
      this.#path.push(key)
      const value = this.#value(depth)
      const before = this.repeated === undefined ? members.get(key) : undefined
      if (before !== undefined && asWritten(before) !== asWritten(value)) this.repeated = this.#path.join(".")
      this.#path.pop()
      members.set(key, value)
      this.#skip()
      if (this.#take(closingBrace)) return members
      if (!this.#take(comma)) throw new Stop(this.#at, "expected ',' or '}'")
      this.#skip()
    }
  }

  #array(depth: number): Json {
    const items: Array<Json> = []
    this.#at += 1
    this.#skip()
    if (this.#take(closingBracket)) return items
    for (;;) {
      items.push(this.#value(depth))
      this.#skip()
      if (this.#take(closingBracket)) return items
      if (!this.#take(comma)) throw new Stop(this.#at, "expected ',' or ']'")
      this.#skip()
    }
  }

  #string(): string {
    const start = this.#at
    this.#at += 1
    let escaped = false
    for (;;) {
      this.#skipPlain()
      if (this.#take(quote)) break
      if (!this.#matches(this.#escape)) throw new Stop(this.#at, "unterminated or malformed string")
      escaped = true
    }
    const isOwn = escaped || (this.#text.length > longestKept && this.#at - start > longestCopied)
    // The slice is a checked JSON string by now, so the engine's parser only undoes the escapes, and makes a string of its own.
    return isOwn ? String(JSON.parse(this.#text.slice(start, this.#at))) : this.#text.slice(start + 1, this.#at - 1)
  }

  #number(): JsonNumber {
    const start = this.#at
    if (this.#matches(this.#numberForm)) return new JsonNumber(this.#text.slice(start, this.#at))
    throw new Stop(this.#at, this.#text[this.#at] === "\ufeff" ? "unexpected byte order mark" : "unexpected character")
  }

  #word<Value extends Json>(word: string, value: Value): Value {
    if (!this.#text.startsWith(word, this.#at)) throw new Stop(this.#at, "unexpected character")
    this.#at += word.length
    return value
  }

  #matches(form: RegExp): boolean {
    form.lastIndex = this.#at
    if (!form.test(this.#text)) return false
    this.#at = form.lastIndex
    return true
  }

  #take(code: number): boolean {
    if (this.#text.charCodeAt(this.#at) !== code) return false
    this.#at += 1
    return true
  }

  // Loops over characters: an expression for each run of them takes several times as long where the runs are short.
  #skip(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at)
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return
      this.#at += 1
    }
  }

  /** Characters of a string up to its end, an escape, what may not stand in it, or the end of the text. */
  #skipPlain(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at)
      // Not a number at the end of the text.
      if (!(code >= 0x20) || code === quote || code === backslash) return
      this.#at += 1
    }
  }
}

/**
 * Parses a whole text as one JSON value. Never throws. A text of more than `maxValues` values is refused; an object or list counts as four.
 */
export const readJson = (text: string, maxValues = Number.POSITIVE_INFINITY): JsonRead => {
  try {
    const reader = new Reader(text, maxValues)
    const value = reader.whole()
    return reader.repeated === undefined ? { ok: true, value } : { ok: true, value, repeated: reader.repeated }
  } catch (stop) {
    if (stop instanceof Stop) return { ok: false, fault: { at: stop.at, message: stop.message } }
    throw stop
  }
}

/** Whether a value is an array; `Array.isArray` alone does not narrow a read-only one. */
export const isJsonArray = (value: Json): value is ReadonlyArray<Json> => Array.isArray(value)

/** Whether a value is an object. */
export const isJsonObject = (value: Json): value is ReadonlyMap<string, Json> => value instanceof Map

/** Compact JSON text: numbers as written by `printNumber`, keys in their order. */
export const printJson = (value: Json, printNumber: (number: JsonNumber) => string): string => {
  if (isJsonArray(value)) return `[${value.map((item) => printJson(item, printNumber)).join(",")}]`
  if (isJsonObject(value)) {
    const members = [...value].map(([key, member]) => `${JSON.stringify(key)}:${printJson(member, printNumber)}`)
    return `{${members.join(",")}}`
  }
  return value instanceof JsonNumber ? printNumber(value) : JSON.stringify(value)
}

const asWritten = (value: Json): string => printJson(value, ({ digits }) => digits)
