/** A product of two matrices of doubles. */
import { give } from "./host"

const size = 256

function run(): void {
  const a = heap.alloc(size * size * 8)
  const b = heap.alloc(size * size * 8)
  const c = heap.alloc(size * size * 8)
  for (let at = 0; at < size * size; at++) {
    store<f64>(a + at * 8, <f64>(at % 7))
    store<f64>(b + at * 8, <f64>(at % 11))
  }
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      let sum: f64 = 0
      for (let k = 0; k < size; k++) sum += load<f64>(a + (row * size + k) * 8) * load<f64>(b + (k * size + column) * 8)
      store<f64>(c + (row * size + column) * 8, sum)
    }
  }
  let trace: f64 = 0
  for (let at = 0; at < size; at++) trace += load<f64>(c + (at * size + at) * 8)
  give(<i64>trace)
}

run()
