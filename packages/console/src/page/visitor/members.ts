/** Reading JSON of which nothing is known yet. */

/** A JSON object, before anything is known of it. */
export type Members = Readonly<Record<string, unknown>>

/** The members of an object; none of anything else. */
export const membersOf = (value: unknown): Members => (typeof value === "object" && value !== null ? (value as Members) : {})
