/** Lists of bytes in JSON (`[104,105]`), the form in which hosts pass bodies, decoded with one branch per byte. */

// @ts-ignore: decorator
@inline
function isDigit(unit: u32): u32 {
  return <u32>(unit - 0x30 < 10)
}

/** The length of the list that was read last. */
export let byteListLength: i32 = 0

/**
 * Reads the byte list whose first number begins at `from`, writing byte k to `to + k * step`: with step 1 it decodes,
 * with step 0 it only checks. May write over the text it has read. Returns where the list ends, after its `]`, or 0
 * when it is not a list of bytes without spaces. Reads up to 4 bytes beyond the text.
 */
export function readByteList(from: usize, to: usize, step: usize): usize {
  let at = from
  let out = to
  let invalid: u32 = 0
  let separator: u32
  let count = 0
  do {
    const first: u32 = load<u8>(at)
    const second: u32 = load<u8>(at, 1)
    const third: u32 = load<u8>(at, 2)
    const two = isDigit(second)
    const three = two & isDigit(third)
    const short = select<u32>((first - 0x30) * 10 + second - 0x30, first - 0x30, two)
    const value = select<u32>(short * 10 + third - 0x30, short, three)
    invalid |= (isDigit(first) ^ 1) | (value >> 8) | (two & <u32>(first == 0x30))
    store<u8>(out, value)
    out += step
    at += 1 + two + three
    separator = load<u8>(at)
    at++
    count++
  } while (separator == 0x2c)
  byteListLength = count
  return select<usize>(at, 0, (invalid | (separator ^ 0x5d)) == 0)
}
