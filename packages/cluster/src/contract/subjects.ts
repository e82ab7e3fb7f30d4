/** The subjects on which edges and executors talk. */

/** The version of this contract; it is the first byte of every message. */
export const contractVersion = 1

/** The queue group of the executors: one of them gets each task. */
export const executorGroup = "executors"

const netForm = /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/

/**
 * Whether a text can name a net: the executors with one outbound policy, between which runs may be given and continued. 1 to 32 lowercase
 * letters, digits and hyphens inside.
 */
export const isNetName = (text: string): boolean => netForm.test(text)

/** Tasks for any executor of a net. */
export const runSubject = (net: string): string => `sibyl.run.${net}`

/** Orders for one executor: tasks, answers to what it asked, cancellations. */
export const orderSubject = (net: string, executor: string): string => `sibyl.run.${net}.at.${executor}`

/** Probes of one executor; nobody listens if it has ended. */
export const aliveSubject = (executor: string): string => `sibyl.alive.${executor}`

/** Every executor of a net tells of itself here. */
export const beatSubject = (net: string): string => `sibyl.beat.${net}`

/** News of a shared feed, between edges. */
export const feedSubject = (feedKey: string): string => `sibyl.feed.${feedKey}`

/** Where an attempt is answered. An attempt's id begins with that of its edge, so that one subscription takes all of an edge's. */
export const inboxOf = (attempt: string): string => `_INBOX.${attempt}`

/** All inboxes of an edge. */
export const inboxesOf = (edge: string): string => `_INBOX.${edge}.*`
