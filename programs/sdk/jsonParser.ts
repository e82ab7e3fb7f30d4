/** The parser behind the JSON tree: one loop with an explicit parent, so that nesting uses memory but no stack. */
import { byteListLength, readByteList } from "./byteList"
import { JsonKind, JsonValue, none } from "./json"

/** Documents with more values are refused, so that a tree cannot fill the memory. */
export const maxJsonValues: i32 = 16384

const ones: u64 = 0x0101010101010101
const highs: u64 = 0x8080808080808080

/** Nonzero if one of eight characters ends plain string text: a quote, a backslash or a control character. */
// @ts-ignore: decorator
@inline
function special(characters: u64): u64 {
  const quote = characters ^ (ones * 0x22)
  const backslash = characters ^ (ones * 0x5c)
  return ((quote - ones) & ~quote | (backslash - ones) & ~backslash | (characters - ones * 0x20) & ~characters) & highs
}

/** Parses a text followed by zero bytes. Every test for a character also detects the end, because no character is zero. */
export class JsonParser {
  private values: i32 = 0
  private valid: bool = true

  /** `keepByteLists`: arrays of bytes stay text. */
  constructor(private at: usize, private readonly end: usize, private readonly keepByteLists: bool) {}

  /** The value of the text, with or without spaces around it; {@link none} if it is invalid. */
  parse(): JsonValue {
    const root = this.value(null)
    let open = root
    while (this.valid) {
      const parent = open.parent
      if (open.end == 0) open = this.inside(open)
      else if (parent !== null) open = this.after(parent)
      else break
    }
    if (this.at < this.end) this.spaces()
    return this.valid && this.at == this.end ? root : none
  }

  /** Continues after the bracket that opened a container: its first child, or its end. */
  private inside(container: JsonValue): JsonValue {
    this.spaces()
    return load<u8>(this.at) == closing(container) ? this.close(container) : this.child(container)
  }

  /** Continues after a child: a comma and the next one, or the container's end. */
  private after(container: JsonValue): JsonValue {
    this.spaces()
    const character = load<u8>(this.at)
    if (character == closing(container)) return this.close(container)
    if (character != 0x2c) this.valid = false
    this.at++
    return this.child(container)
  }

  private close(container: JsonValue): JsonValue {
    this.at++
    container.end = this.at
    return container
  }

  /** Reads one element, or one member with its name. */
  private child(container: JsonValue): JsonValue {
    let keyStart: usize = 0
    let keyEnd: usize = 0
    if (container.kind == JsonKind.Object) {
      this.spaces()
      if (load<u8>(this.at) != 0x22) this.valid = false
      keyStart = this.at + 1
      keyEnd = this.string() - 1
      this.spaces()
      if (load<u8>(this.at) != 0x3a) this.valid = false
      this.at++
    }
    const child = this.value(container)
    child.keyStart = keyStart
    child.keyEnd = keyEnd
    const last = container.last
    if (last === null) container.first = child
    else last.next = child
    container.last = child
    return child
  }

  /** Reads a scalar completely, but only the opening bracket of a container: its `end` is 0 until it is closed. */
  private value(parent: JsonValue | null): JsonValue {
    this.spaces()
    this.values++
    if (this.values > maxJsonValues) this.valid = false
    const start = this.at
    const character = load<u8>(start)
    const value = new JsonValue(kindOf(character), parent)
    value.start = start
    if (value.kind == JsonKind.String) {
      value.start = start + 1
      value.end = this.string() - 1
    } else if (value.kind == JsonKind.Number) {
      value.end = this.number()
    } else if (value.kind >= JsonKind.Array) {
      this.at++
      this.byteList(value)
    } else {
      value.end = this.word(value.kind)
    }
    return value
  }

  private byteList(value: JsonValue): void {
    if (!this.keepByteLists || value.kind != JsonKind.Array) return
    const end = readByteList(this.at, scratch, 0)
    if (end == 0) return
    value.byteCount = byteListLength
    value.end = end
    this.at = end
  }

  private spaces(): void {
    let character = load<u8>(this.at)
    while (character == 0x20 || (character < 0x0e && character > 0x08 && character != 0x0b && character != 0x0c)) {
      this.at++
      character = load<u8>(this.at)
    }
  }

  /** Reads a string from its opening quote; returns the address after the closing one. */
  private string(): usize {
    let at = this.at + 1
    for (;;) {
      while (special(load<u64>(at)) == 0) at += 8
      const character = load<u8>(at)
      at++
      if (character == 0x22) break
      if (character < 0x20) return this.refuse()
      if (character == 0x5c) {
        const length = escapeLength(at)
        if (length == 0) return this.refuse()
        at += length
      }
    }
    this.at = at
    return at
  }

  private number(): usize {
    if (load<u8>(this.at) == 0x2d) this.at++
    if (load<u8>(this.at) == 0x30) this.at++
    else this.digits()
    if (load<u8>(this.at) == 0x2e) {
      this.at++
      this.digits()
    }
    if ((load<u8>(this.at) | 0x20) == 0x65) {
      this.at++
      const sign = load<u8>(this.at)
      this.at += <usize>(sign == 0x2b || sign == 0x2d)
      this.digits()
    }
    return this.at
  }

  /** Reads one digit or more. */
  private digits(): void {
    const start = this.at
    while (<u32>load<u8>(this.at) - 0x30 < 10) this.at++
    if (this.at == start) this.valid = false
  }

  /** Reads `null`, `true` or `false`, four letters and perhaps an `e`. */
  private word(kind: JsonKind): usize {
    const letters = load<u32>(this.at)
    const isFalse = kind == JsonKind.False
    const expected: u32 = isFalse ? 0x736c6166 : kind == JsonKind.True ? 0x65757274 : 0x6c6c756e
    if (letters != expected || (isFalse && load<u8>(this.at, 4) != 0x65)) this.valid = false
    this.at += 4 + <usize>isFalse
    return this.at
  }

  private refuse(): usize {
    this.valid = false
    return this.at
  }
}

/** The target of a byte list that is only checked. */
const scratch = memory.data(1)

/** The kind of a value with this first character; with any other character it does not parse as `null`. */
function kindOf(character: u8): JsonKind {
  if (character == 0x22) return JsonKind.String
  if (character == 0x7b) return JsonKind.Object
  if (character == 0x5b) return JsonKind.Array
  if (character == 0x2d || <u32>character - 0x30 < 10) return JsonKind.Number
  if (character == 0x74) return JsonKind.True
  return character == 0x66 ? JsonKind.False : JsonKind.Null
}

function closing(container: JsonValue): u8 {
  return container.kind == JsonKind.Object ? 0x7d : 0x5d
}

/** The length of an escape after its backslash, 0 if it is invalid. */
function escapeLength(at: usize): usize {
  const letter = load<u8>(at)
  if (letter != 0x75) return <usize>("\"\\/bfnrt".indexOf(String.fromCharCode(letter)) >= 0)
  for (let digit = 1; digit <= 4; digit++) {
    const code: u32 = load<u8>(at + digit)
    if (code - 0x30 > 9 && (code | 0x20) - 0x61 > 5) return 0
  }
  return 5
}
