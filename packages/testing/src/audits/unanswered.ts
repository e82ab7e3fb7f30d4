/** A request to which no answer came in time: where a service does that often, a report says so instead of waiting for hours. */

/** Thrown where the wait for an answer is over. */
export class Unanswered extends Error {}
