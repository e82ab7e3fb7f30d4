/** How a name out of a module is shown to people: as one line, and never whole when it is long. */

const longest = 100

/** The name's first 100 characters at most. Longer ones end in an ellipsis. */
export const shortName = (name: string): string => (name.length > longest ? `${name.slice(0, longest)}…` : name)

/** The same in quotes, without line breaks or control characters. */
export const shownName = (name: string): string => JSON.stringify(shortName(name))
