/** Scans JSON text: strings with escapes, numbers, nested lists and objects. */
import { give } from "./host"

let at: usize = 0
let end: usize = 0
let values = 0
let total: f64 = 0

function skipSpace(): void {
  while (at < end) {
    const byte = load<u8>(at)
    if (byte != 32 && byte != 10 && byte != 13 && byte != 9) return
    at++
  }
}

function scanString(): void {
  at++
  while (load<u8>(at) != 34) at += load<u8>(at) == 92 ? 2 : 1
  at++
}

function scanNumber(): void {
  let sign: f64 = 1
  if (load<u8>(at) == 45) {
    sign = -1
    at++
  }
  let value: f64 = 0
  while (at < end) {
    const digit = load<u8>(at) - 48
    if (digit > 9) break
    value = value * 10 + digit
    at++
  }
  if (load<u8>(at) == 46) {
    at++
    let scale: f64 = 0.1
    while (at < end) {
      const digit = load<u8>(at) - 48
      if (digit > 9) break
      value += digit * scale
      scale *= 0.1
      at++
    }
  }
  total += sign * value
}

function scanValue(): void {
  skipSpace()
  values++
  const first = load<u8>(at)
  if (first == 123 || first == 91) {
    const close: u8 = first == 123 ? 125 : 93
    at++
    skipSpace()
    while (load<u8>(at) != close) {
      if (first == 123) {
        skipSpace()
        scanString()
        skipSpace()
        at++
      }
      scanValue()
      skipSpace()
      if (load<u8>(at) == 44) at++
      skipSpace()
    }
    at++
  } else if (first == 34) scanString()
  else if (first == 45 || (first >= 48 && first <= 57)) scanNumber()
  else while (load<u8>(at) >= 97) at++
}

const sample =
  '{"symbol":"BTC","price": 64123.25, "change":-1.5, "tags":["spot","us\\"d",true,null], "depth":{"bids":[[64120,1.5],[64119,2]],"asks":[[64124,0.25]]}},'

function run(): void {
  const copies = 5000
  const piece = String.UTF8.encode(sample)
  const text = heap.alloc(piece.byteLength * copies + 2)
  store<u8>(text, 91)
  for (let copy = 0; copy < copies; copy++) memory.copy(text + 1 + copy * piece.byteLength, changetype<usize>(piece), piece.byteLength)
  end = text + 1 + copies * piece.byteLength
  store<u8>(end - 1, 93)
  for (let round = 0; round < 12; round++) {
    at = text
    scanValue()
  }
  give(<i64>values + <i64>total)
}

run()
