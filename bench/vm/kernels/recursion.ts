/** Fibonacci numbers by naive recursion. */
import { give } from "./host"

function fibonacci(n: i32): i32 {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2)
}

function run(): void {
  give(fibonacci(33))
}

run()
