/** Exports every global of a module, so that an instance can be put back to its first state from outside. */

const exportSection = 7
const globalSection = 6
const globalKind = 3

const readU32 = (bytes, at) => {
  let value = 0
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++]
    value |= (byte & 0x7f) << shift
    if (byte < 0x80) return [value, at]
  }
}

const u32 = (value) => (value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...u32(value >>> 7)])

/** The module with its globals exported as `global 0`, `global 1` and so on. */
export const exportGlobals = (bytes) => {
  const written = [...bytes.subarray(0, 8)]
  let globals = 0
  for (let at = 8; at < bytes.length;) {
    const id = bytes[at]
    const [size, begin] = readU32(bytes, at + 1)
    at = begin + size
    let body = [...bytes.subarray(begin, at)]
    if (id === globalSection) [globals] = readU32(bytes, begin)
    if (id === exportSection) {
      const [count, rest] = readU32(bytes, begin)
      const added = Array.from({ length: globals }, (_, index) => {
        const name = [...new TextEncoder().encode(`global ${index}`)]
        return [...u32(name.length), ...name, globalKind, ...u32(index)]
      })
      body = [...u32(count + globals), ...bytes.subarray(rest, at), ...added.flat()]
    }
    written.push(id, ...u32(body.length), ...body)
  }
  return Uint8Array.from(written)
}
