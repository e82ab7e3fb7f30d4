/** Starts many feeds with evenly spread phases: late starts are not made up for in one burst. */

/** Waits. */
export const rest = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** Calls `start` with 0, 1, 2 ... `count` - 1, spread over some seconds, or longer if the machine cannot keep up. */
export const startEvenly = async (count, seconds, start) => {
  const perMs = count / (seconds * 1_000)
  let last = performance.now()
  let owed = 0
  for (let at = 0; at < count;) {
    const now = performance.now()
    owed = Math.min(owed + (now - last) * perMs, Math.max(1, 3 * perMs))
    last = now
    for (; owed >= 1 && at < count; owed -= 1, at += 1) start(at)
    await rest(1)
  }
}
