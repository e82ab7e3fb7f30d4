/** How a name from a module is shown in messages: on one line, and cut if it is long. */

const longest = 100

/** The name's first 100 characters. Longer ones end in an ellipsis. */
export const shortName = (name: string): string => (name.length > longest ? `${name.slice(0, longest)}…` : name)

/** The same in quotes, without line breaks or control characters. */
export const shownName = (name: string): string => JSON.stringify(shortName(name))
