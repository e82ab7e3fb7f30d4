/** The longest Collatz sequence below a bound. */
import { give } from "./host"

function run(): void {
  let longest = 0
  for (let start: u64 = 1; start < 400_000; start++) {
    let n = start
    let steps = 0
    while (n != 1) {
      n = n & 1 ? 3 * n + 1 : n >> 1
      steps++
    }
    if (steps > longest) longest = steps
  }
  give(longest)
}

run()
