/** Parses JSON (RFC 8259) into a tree; numbers keep their text, so that no digit is lost, and nothing recurses. */
import { JsonParser } from "./jsonParser"
import { readByteList } from "./byteList"
import { fail } from "./process"

/** The kind of a value. `None`: there is no value, or no valid document. */
export enum JsonKind {
  None,
  Null,
  False,
  True,
  Number,
  String,
  Array,
  Object
}

/** One value in the tree. Its text is in the document's own memory. */
export class JsonValue {
  /** The text: a string's without its quotes, that of any other value complete. */
  start: usize = 0
  end: usize = 0
  /** The member's name, if the value is in an object. */
  keyStart: usize = 0
  keyEnd: usize = 0
  /** The length of a list of bytes, which stays text until its bytes or elements are requested; else -1. */
  byteCount: i32 = -1
  /** The first of the elements or members; the others follow by `next`. */
  first: JsonValue | null = null
  last: JsonValue | null = null
  next: JsonValue | null = null

  constructor(readonly kind: JsonKind, readonly parent: JsonValue | null) {}

  /** Whether there is a value. */
  get exists(): bool {
    return this.kind != JsonKind.None
  }

  /** A member by name, the last one of duplicates. Safe to chain: for anything but an object it is {@link none}. */
  get(name: string): JsonValue {
    let found = none
    if (this.kind != JsonKind.Object) return found
    let member = this.first
    while (member !== null) {
      if (unescaped(member.keyStart, member.keyEnd) == name) found = member
      member = member.next
    }
    return found
  }

  /** The elements of an array; empty for anything else. */
  elements(): Array<JsonValue> {
    const elements = new Array<JsonValue>()
    if (this.kind != JsonKind.Array) return elements
    let element = this.first
    if (this.byteCount > 0) {
      const expanded = new JsonParser(this.start, this.end, false).parse()
      if (!expanded.exists) fail<void>("a JSON list is too long to be read element by element")
      element = expanded.first
    }
    while (element !== null) {
      elements.push(element)
      element = element.next
    }
    return elements
  }

  /** A string's characters with escapes resolved; the text itself of any other value. */
  text(): string {
    return this.kind == JsonKind.String
      ? unescaped(this.start, this.end)
      : String.UTF8.decodeUnsafe(this.start, this.end - this.start)
  }

  /** The bytes of an array of integers 0..255; `null` for anything else. */
  bytes(): Uint8Array | null {
    if (this.kind != JsonKind.Array) return null
    if (this.byteCount >= 0) {
      const bytes = new Uint8Array(this.byteCount)
      readByteList(this.start + 1, bytes.dataStart, 1)
      return bytes
    }
    const elements = this.elements()
    const bytes = new Uint8Array(elements.length)
    for (let at = 0; at < elements.length; at++) {
      const element = elements[at]
      if (!element.isInteger() || <u64>element.integer() > 255) return null
      store<u8>(bytes.dataStart + at, <u8>element.integer())
    }
    return bytes
  }

  /** Whether the value is an integer without point and exponent, of at most 18 digits. */
  isInteger(): bool {
    if (this.kind != JsonKind.Number) return false
    const digits = this.start + <usize>(load<u8>(this.start) == 0x2d)
    for (let at = digits; at < this.end; at++) {
      if (<u32>load<u8>(at) - 0x30 > 9) return false
    }
    return this.end - digits <= 18
  }

  /** The value of an integer; undefined unless {@link isInteger}. */
  integer(): i64 {
    const negative = load<u8>(this.start) == 0x2d
    let value: i64 = 0
    for (let at = this.start + <usize>negative; at < this.end; at++) value = value * 10 + load<u8>(at) - 0x30
    return negative ? -value : value
  }
}

/** No value. */
export const none: JsonValue = new JsonValue(JsonKind.None, null)

/** Parses a document; {@link none} if it is not valid JSON, or has more than 16,384 values. */
export function parseJson(bytes: Uint8Array): JsonValue {
  const text = heap.alloc(bytes.length + jsonPadding)
  memory.copy(text, bytes.dataStart, bytes.length)
  memory.fill(text + bytes.length, 0, jsonPadding)
  return parseJsonAt(text, bytes.length)
}

/** The zero bytes that must follow a text for {@link parseJsonAt}. */
export const jsonPadding: i32 = 32

/** Parses the document at an address, followed by {@link jsonPadding} zero bytes. It must not change afterwards. */
export function parseJsonAt(text: usize, length: usize): JsonValue {
  return new JsonParser(text, text + length, true).parse()
}

/** The characters of a string's text. The parser has checked every escape. */
function unescaped(start: usize, end: usize): string {
  let text = ""
  let plain = start
  for (let at = start; at < end; at++) {
    if (load<u8>(at) != 0x5c) continue
    text += String.UTF8.decodeUnsafe(plain, at - plain)
    at++
    const letter = load<u8>(at)
    if (letter == 0x75) {
      let unit: u32 = 0
      for (let digit = 1; digit <= 4; digit++) {
        const code: u32 = load<u8>(at + digit)
        unit = (unit << 4) | ((code & 15) + 9 * (code >> 6))
      }
      text += String.fromCharCode(unit)
      at += 4
    } else {
      const named = "\"\\/bfnrt".indexOf(String.fromCharCode(letter))
      text += "\"\\/\b\f\n\r\t".charAt(named)
    }
    plain = at + 1
  }
  return text + String.UTF8.decodeUnsafe(plain, end - plain)
}
