/** What is made of the names of a line's fields: once for each, because a service has few of them. */

const namesKept = 256

/** Makes it of the first names it is asked for once, of those behind them each time. */
export const byName = <Made extends object | string>(make: (name: string) => Made): ((name: string) => Made) => {
  const known = new Map<string, Made>()
  return (name) => {
    const found = known.get(name)
    if (found !== undefined) return found
    const made = make(name)
    if (known.size < namesKept) known.set(name, made)
    return made
  }
}
