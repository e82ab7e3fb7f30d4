/** The target of a request, split into path and query. */

/** A target as the route table and the parameters see it. */
export interface Target {
  readonly path: string
  readonly query: string
}

/** Splits a target at its first question mark. */
export const splitTarget = (url: string): Target => {
  const mark = url.indexOf("?")
  return mark < 0 ? { path: url, query: "" } : { path: url.slice(0, mark), query: url.slice(mark + 1) }
}
