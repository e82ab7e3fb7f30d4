/** Counts words and lines in text. */
import { give } from "./host"

function run(): void {
  const size = 4 << 20
  const text = heap.alloc(size)
  let seed: u32 = 7
  for (let at = 0; at < size; at++) {
    seed = seed * 1_103_515_245 + 12_345
    const chance = (seed >>> 16) & 63
    store<u8>(text + at, chance < 8 ? 32 : chance == 8 ? 10 : 97 + (chance % 26))
  }
  let words = 0
  let lines = 0
  for (let round = 0; round < 4; round++) {
    let inside = false
    for (let at = 0; at < size; at++) {
      const byte = load<u8>(text + at)
      if (byte == 10) lines++
      if (byte == 32 || byte == 10 || byte == 9) inside = false
      else if (!inside) {
        inside = true
        words++
      }
    }
  }
  give(((<i64>words) << 32) | lines)
}

run()
