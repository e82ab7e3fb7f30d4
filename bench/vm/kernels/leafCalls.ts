/** A loop that calls two small functions. */
import { give } from "./host"

// @ts-ignore: decorator
@inline(never)
function mix(a: i32, b: i32): i32 {
  return (a * 31 + b) ^ (a >>> 7)
}

// @ts-ignore: decorator
@inline(never)
function pick(a: i32, b: i32): i32 {
  return a & 1 ? a + b : a - b
}

function run(): void {
  let value = 1
  for (let step = 0; step < 12_000_000; step++) value = pick(mix(value, step), step)
  give(value)
}

run()
