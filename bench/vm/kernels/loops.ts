/** Nested counting loops with a little arithmetic. */
import { give } from "./host"

function run(): void {
  let sum: i64 = 0
  for (let outer = 0; outer < 3000; outer++) {
    for (let inner = 0; inner < 10000; inner++) sum += (inner ^ outer) & 7
  }
  give(sum)
}

run()
