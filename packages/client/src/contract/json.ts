/** Reads JSON of which nothing is known yet. */

/** The value that a text is the JSON of; undefined if it is none, or no text. */
export const jsonOf = (text: unknown): unknown => {
  try {
    return typeof text === "string" ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}

/** The members of an object; none of anything else. */
export const membersOf = (value: unknown): { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null ? (value as { readonly [name: string]: unknown }) : {}
