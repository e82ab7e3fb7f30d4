/** Quicksort of pseudo-random integers. */
import { give } from "./host"

const count = 600_000

function sort(from: usize, to: usize): void {
  while (to - from > 4) {
    let left = from
    let right = to - 4
    const pivot = load<i32>(from + ((to - from) >> 3) * 4)
    while (left <= right) {
      while (load<i32>(left) < pivot) left += 4
      while (load<i32>(right) > pivot) right -= 4
      if (left > right) break
      const swapped = load<i32>(left)
      store<i32>(left, load<i32>(right))
      store<i32>(right, swapped)
      left += 4
      right -= 4
    }
    if (right + 4 - from < to - left) {
      sort(from, right + 4)
      from = left
    } else {
      sort(left, to)
      to = right + 4
    }
  }
}

function run(): void {
  const items = heap.alloc(count * 4)
  let seed: u32 = 12345
  for (let at = 0; at < count; at++) {
    seed = seed * 1_664_525 + 1_013_904_223
    store<i32>(items + at * 4, seed >>> 1)
  }
  sort(items, items + count * 4)
  give(load<i32>(items + (count >> 1) * 4))
}

run()
