/** B14: how many feeds of 1 s, signed, charged and stored on disk, one a connection, start on time. Finds it by doubling, then halving. */

/** A number of feeds is held if this share of the runs started, with this lateness at most. */
const startedShare = 0.999
const p99Ms = 20

const isHeld = (measured) => measured.startedShare >= startedShare && measured.p99Ms < p99Ms

/** The largest number of feeds that is held, to the nearest `step`, and what was measured there; `measure` runs one number of feeds. */
export const heldFeeds = async (measure, { first, step, tell }) => {
  const measuredAt = new Map()
  const holds = async (feeds) => {
    const measured = await measure(feeds)
    const { p99Ms: lateMs, startedShare: share } = measured
    tell(`  ${feeds} feeds: ${(share * 100).toFixed(2)} % started, p99 ${lateMs} ms late${isHeld(measured) ? "" : ": not held"}`)
    measuredAt.set(feeds, measured)
    return isHeld(measured)
  }
  let held = 0
  let tooMany = first
  while (await holds(tooMany)) {
    held = tooMany
    tooMany *= 2
  }
  while (tooMany - held > step) {
    const middle = Math.round((held + tooMany) / 2 / step) * step
    if (middle === held || middle === tooMany) break
    if (await holds(middle)) held = middle
    else tooMany = middle
  }
  return { feeds: held, measured: measuredAt.get(held) }
}
