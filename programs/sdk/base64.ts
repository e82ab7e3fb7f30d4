/** Base64 (RFC 4648, padded), which encodes bytes in the tally phase's environment. */

/** The value of one character, 0xff if it is invalid. */
function sextet(unit: u32): u32 {
  if (unit - 0x41 < 26) return unit - 0x41
  if (unit - 0x61 < 26) return unit - 0x61 + 26
  if (unit - 0x30 < 10) return unit - 0x30 + 52
  return unit == 0x2b ? 62 : unit == 0x2f ? 63 : 0xff
}

/** Decodes base64 text; `null` if it is invalid. */
export function fromBase64(text: string): Uint8Array | null {
  let length = text.length
  if ((length & 3) != 0) return null
  for (let padding = 0; padding < 2 && length > 0 && text.charCodeAt(length - 1) == 0x3d; padding++) length--
  const bytes = new Uint8Array((length * 3) >> 2)
  let bits: u32 = 0
  let invalid: u32 = 0
  for (let at = 0, to = 0; at < length; at++) {
    const value = sextet(text.charCodeAt(at))
    invalid |= value >> 6
    bits = (bits << 6) | value
    // The second, third and fourth character of each group complete a byte.
    const spare = 6 - ((at & 3) << 1)
    if ((at & 3) != 0) store<u8>(bytes.dataStart + to++, <u8>(bits >> spare))
  }
  return invalid == 0 ? bytes : null
}
