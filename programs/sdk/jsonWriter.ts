/** Writes the pieces of JSON that programs pass to the host. */

function hexDigit(value: i32): i32 {
  return value < 10 ? 0x30 + value : 0x57 + value
}

/** A text as a JSON string, quotes included. */
export function jsonString(text: string): string {
  let json = "\""
  let plain = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit >= 0x20 && unit != 0x22 && unit != 0x5c) continue
    json += text.substring(plain, at)
    if (unit < 0x20) json += unit < 16 ? "\\u000" : "\\u001"
    else json += "\\"
    json += String.fromCharCode(unit < 0x20 ? hexDigit(unit & 15) : unit)
    plain = at + 1
  }
  return json + text.substring(plain) + "\""
}

/** An integer in decimal digits. */
export function jsonInteger(value: i64): string {
  let rest: u64 = value < 0 ? 0 - value : value
  let digits = ""
  do {
    digits = String.fromCharCode(0x30 + <i32>(rest % 10)) + digits
    rest /= 10
  } while (rest != 0)
  return value < 0 ? "-" + digits : digits
}

/** Bytes as a JSON array of numbers. */
export function jsonBytes(bytes: Uint8Array): string {
  let json = "["
  for (let at = 0; at < bytes.length; at++) json += (at == 0 ? "" : ",") + jsonInteger(bytes[at])
  return json + "]"
}
