// @ts-check
/** To which executor an edge offers a run. */

/** @typedef {import("./executors.mjs").Executors} Executors */

/**
 * @typedef {object} Choice
 * @property {Executors} executors
 * @property {number} edge
 * @property {number} nowMs
 * @property {boolean} isFirst whether this is the first offer of the run
 * @property {() => number} random from 0 to below 1
 * @property {(executor: number, nowMs: number) => boolean} isHeard whether heartbeats of it still arrive
 */

/** @param {Choice} choice */
const anyOf = ({ executors, random }) => Math.floor(random() * executors.count)

/**
 * As a queue group delivers: to any of its members, frozen ones included.
 * @param {Choice} choice
 */
const random = (choice) => anyOf(choice)

/**
 * The executor with the most free slots as far as the edge knows; among equal ones the first from a random place on.
 * @param {Choice} choice
 */
const mostFree = (choice) => {
  const { edge, executors, isHeard, nowMs } = choice
  const from = anyOf(choice)
  let best = from
  let most = Number.NEGATIVE_INFINITY
  for (let step = 0; step < executors.count; step += 1) {
    const executor = (from + step) % executors.count
    const free = executors.believedFree(edge, executor, nowMs)
    if (free > most && isHeard(executor, nowMs)) {
      most = free
      best = executor
      if (free >= executors.slots) break
    }
  }
  return best
}

/**
 * Of two executors that are heard, the one with more free slots as far as the edge knows.
 * @param {Choice} choice
 */
const twoChoices = (choice) => {
  const { edge, executors, isHeard, nowMs } = choice
  const heard = () => {
    for (let tries = 0; tries < 16; tries += 1) {
      const executor = anyOf(choice)
      if (isHeard(executor, nowMs)) return executor
    }
    return anyOf(choice)
  }
  const [one, two] = [heard(), heard()]
  return executors.believedFree(edge, one, nowMs) >= executors.believedFree(edge, two, nowMs) ? one : two
}

/**
 * Any of those that are heard and believed to have a free slot; if there is none, any.
 * @param {Choice} choice
 */
const anyFree = (choice) => {
  const { edge, executors, isHeard, nowMs } = choice
  const from = anyOf(choice)
  for (let step = 0; step < executors.count; step += 1) {
    const executor = (from + step) % executors.count
    if (isHeard(executor, nowMs) && executors.believedFree(edge, executor, nowMs) > 0) return executor
  }
  return from
}

/**
 * The first offer to the queue group, the others to one that is believed to have a free slot.
 * @param {Choice} choice
 */
const groupThenFree = (choice) => (choice.isFirst ? random(choice) : anyFree(choice))

/**
 * Of two executors drawn by their free slots as far as the edge knows, the one with more of them; if none seems to have any, any.
 * @param {Choice} choice
 */
const twoByFree = (choice) => {
  const { edge, executors, isHeard, nowMs, random } = choice
  const free = Float64Array.from({ length: executors.count }, (_, executor) =>
    isHeard(executor, nowMs) ? Math.max(0, executors.believedFree(edge, executor, nowMs)) : 0
  )
  const total = free.reduce((sum, one) => sum + one, 0)
  if (total === 0) return anyOf(choice)
  const drawn = () => {
    let left = random() * total
    return Math.max(
      0,
      free.findIndex((one) => (left -= one) < 0)
    )
  }
  const [one, two] = [drawn(), drawn()]
  return (free[one] ?? 0) >= (free[two] ?? 0) ? one : two
}

/** The policies by name. */
export const policies = { random, groupThenFree, twoChoices, twoByFree, mostFree }

/** @typedef {keyof typeof policies} Policy */
