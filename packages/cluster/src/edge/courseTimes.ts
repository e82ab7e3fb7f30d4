/** How long the steps of a run's course take at most, and how often a run may be lost, or an answer. */

/** The times of a run's course, in ms, and how often something may happen in it. */
export const courseTimes = {
  /** An offer that nobody has accepted by then is made to another one. */
  acceptMs: 250,
  /** When nobody has a place: between two looks. */
  againMs: 5,
  /** When nobody seems to be there at all: between two offers to whoever may be. */
  deafMs: 50,
  /** How long one that did not answer an offer gets no other of the same run: the offer may have been lost as well. */
  deafForMs: 500,
  /** How long another executor is looked for that goes on with a run that has begun. */
  searchMs: 10_000,
  /** How often a question is answered, which executors repeat each second, before the executor counts as one that does not hear us. */
  mostAnswers: 10,
  /** Less long after it was asked, a question that comes again was sent before the answer can have been missed. */
  askedAgainMs: 500,
  /** How many executors may be lost with a run before it is given up: it may be the run that kills them. */
  mostDeaths: 4
} as const
