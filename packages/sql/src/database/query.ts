/** Statements as values: built without a client, so that another thread can run them too. */

/** What a statement may be given. */
export type QueryValue = string | number | null

/** The two kinds of SQL. */
export type Dialect = "pg" | "sqlite"

/** A statement or a part of one: its text, with a `?` for each value. */
export interface Query {
  readonly text: string
  readonly values: ReadonlyArray<QueryValue>
}

type Part = QueryValue | Query

const isQuery = (part: Part): part is Query => typeof part === "object" && part !== null

/** Builds a statement: what is put in is a value, or a part of a statement with its own values. */
export const query = (texts: ReadonlyArray<string>, ...parts: ReadonlyArray<Part>): Query => {
  let text = texts[0] ?? ""
  const values: Array<QueryValue> = []
  for (const [at, part] of parts.entries()) {
    if (isQuery(part)) values.push(...part.values)
    else values.push(part)
    text += (isQuery(part) ? part.text : "?") + (texts[at + 1] ?? "")
  }
  return { text, values }
}

/** A part of a statement as it stands; never made from data. */
export const words = (text: string): Query => ({ text, values: [] })

/** The lengths of the lists below; a longer list has its own text. */
const listLengths = [1, 4, 16, 64, 256]

/** `column IN (...)`, padded with the last value to one of a few lengths, so that prepared statements are reused. Needs at least one value. */
export const among = (column: string, values: ReadonlyArray<string | number>): Query => {
  const length = listLengths.find((most) => values.length <= most) ?? values.length
  return {
    text: `${column} IN (${Array.from({ length }, () => "?").join(", ")})`,
    values: Array.from({ length }, (_, at) => values[Math.min(at, values.length - 1)] ?? null)
  }
}

/** The end of a SELECT that locks its rows for this transaction. SQLite's write transactions lock the whole file anyway. */
export const locking = (dialect: Dialect): Query => words(dialect === "pg" ? "FOR UPDATE" : "")

/** The text as PostgreSQL takes it, which numbers its places. No text of ours has a question mark elsewhere. */
export const numbered = (text: string): string => {
  let place = 0
  return text.replaceAll("?", () => `$${(place += 1)}`)
}
