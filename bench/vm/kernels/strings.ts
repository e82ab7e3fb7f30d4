/** Builds and hashes strings with the language's own runtime: allocation, copies, conversions. */
import { give } from "./host"

function run(): void {
  let hash: i32 = 17
  for (let step = 0; step < 120_000; step++) {
    const text = "value " + step.toString() + ":" + (step * 31).toString()
    if (step % 1000 == 0) heap.reset()
    for (let at = 0; at < text.length; at++) hash = hash * 31 + text.charCodeAt(at)
  }
  give(hash)
}

run()
