/** A loop that calls one of four functions through the table. */
import { give } from "./host"

function add(a: i32, b: i32): i32 {
  return a + b
}
function sub(a: i32, b: i32): i32 {
  return a - b
}
function xor(a: i32, b: i32): i32 {
  return a ^ b
}
function turn(a: i32, b: i32): i32 {
  return rotl(a, b & 31)
}

const functions: StaticArray<(a: i32, b: i32) => i32> = [add, sub, xor, turn]

function run(): void {
  let value = 1
  for (let step = 0; step < 10_000_000; step++) value = unchecked(functions[step & 3])(value, step)
  give(value)
}

run()
