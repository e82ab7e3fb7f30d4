/** The sieve of Eratosthenes over bytes. */
import { give } from "./host"

function run(): void {
  const size = 2_000_000
  const marks = heap.alloc(size)
  let primes = 0
  for (let round = 0; round < 4; round++) {
    memory.fill(marks, 0, size)
    primes = 0
    for (let n = 2; n < size; n++) {
      if (load<u8>(marks + n) != 0) continue
      primes++
      for (let multiple = n + n; multiple < size; multiple += n) store<u8>(marks + multiple, 1)
    }
  }
  give(primes)
}

run()
