// @ts-check
/** The waiting times of one queue before all slots (M/M/c), which no placement can be better than. */

/**
 * The probability that a run has to wait, by Erlang's second formula.
 * @param {number} slots
 * @param {number} load of all slots, from 0 to below 1
 */
export const erlangC = (slots, load) => {
  const offered = slots * load
  // Erlang's first formula by its recursion, which stays within a double for any number of slots.
  let blocked = 1
  for (let server = 1; server <= slots; server += 1) blocked = (offered * blocked) / (server + offered * blocked)
  return blocked / (1 - load * (1 - blocked))
}

/**
 * The mean wait in milliseconds, service times being exponentially distributed.
 * @param {{ slots: number, load: number, serviceMs: number }} queue
 */
export const meanWaitMs = ({ load, serviceMs, slots }) => (erlangC(slots, load) * serviceMs) / (slots * (1 - load))

/**
 * The wait in milliseconds that the part `part` of all runs does not exceed.
 * @param {{ slots: number, load: number, serviceMs: number }} queue
 * @param {number} part
 */
export const waitAtMs = ({ load, serviceMs, slots }, part) => {
  const waiting = erlangC(slots, load)
  return waiting <= 1 - part ? 0 : (Math.log(waiting / (1 - part)) * serviceMs) / (slots * (1 - load))
}
