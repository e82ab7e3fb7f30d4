/** Hex text to bytes and back without a branch per digit, because control flow costs gas. */

/** The value of one hex digit, 0xff for anything else. */
// @ts-ignore: decorator
@inline
function nibble(unit: u32): u32 {
  const digit = unit - 0x30
  const letter = (unit | 0x20) - 0x61
  return select<u32>(digit, select<u32>(letter + 10, 0xff, letter < 6), digit < 10)
}

/** Decodes hex digits in memory, in any letter case; `null` if they are invalid. */
export function fromHex(from: usize, length: u32): Uint8Array | null {
  const bytes = new Uint8Array(length >> 1)
  let invalid = length & 1
  for (let at: u32 = 0, size = length >> 1; at < size; at++) {
    const high = nibble(load<u8>(from + at * 2))
    const low = nibble(load<u8>(from + at * 2, 1))
    invalid |= (high | low) >> 4
    store<u8>(bytes.dataStart + at, (high << 4) | low)
  }
  return invalid == 0 ? bytes : null
}

/** Decodes a text of hex digits; `null` if it is invalid. */
export function fromHexText(text: string): Uint8Array | null {
  const utf8 = String.UTF8.encode(text)
  return fromHex(changetype<usize>(utf8), utf8.byteLength)
}

/** Hex digits in lower case; `null` if the text has any other character. */
export function lowerHex(text: string): string | null {
  const lower = changetype<string>(__new(text.length << 1, idof<string>()))
  let invalid: u32 = 0
  for (let at = 0; at < text.length; at++) {
    const digit = nibble(text.charCodeAt(at))
    invalid |= digit >> 4
    store<u16>(changetype<usize>(lower) + (at << 1), hexDigit(digit))
  }
  return invalid == 0 ? lower : null
}

/** Bytes as hex digits in lower case. */
export function toHex(bytes: Uint8Array): string {
  const text = changetype<string>(__new(bytes.length << 2, idof<string>()))
  for (let at = 0; at < bytes.length; at++) {
    const byte: u32 = load<u8>(bytes.dataStart + at)
    const to = changetype<usize>(text) + (at << 2)
    store<u16>(to, hexDigit(byte >> 4))
    store<u16>(to, hexDigit(byte & 15), 2)
  }
  return text
}

// @ts-ignore: decorator
@inline
function hexDigit(value: u32): u32 {
  return value + select<u32>(0x30, 0x57, value < 10)
}
