/** Inserts of many rows that use only a few different texts, so that prepared statements are reused. */
import type { Plan } from "./plan.ts"
import type { Dialect, QueryValue } from "./query.ts"

/** A table to insert into: its columns, and what to do with an existing row. */
export interface RowShape {
  readonly table: string
  readonly columns: ReadonlyArray<string>
  /** The end of the statement, such as `ON CONFLICT (...) DO UPDATE SET ...`. */
  readonly onConflict?: string
}

/** One value for every column of a shape. */
export type Row = ReadonlyArray<QueryValue>

/** Rows per statement: there is one text for each of these counts, and a statement has at most some hundred values. */
const rowCounts = [64, 16, 4, 1]

/** By shape, dialect and number of rows. */
const texts = new WeakMap<RowShape, Map<string, string>>()

const makeText = (dialect: Dialect, { columns, onConflict = "", table }: RowShape, count: number): string => {
  const place = (at: number): string => (dialect === "pg" ? `$${at + 1}` : "?")
  const row = (at: number): string => `(${columns.map((_, column) => place(at * columns.length + column)).join(", ")})`
  const rows = Array.from({ length: count }, (_, at) => row(at)).join(", ")
  return `INSERT INTO ${table} (${columns.join(", ")}) VALUES ${rows} ${onConflict}`
}

const textOf = (dialect: Dialect, shape: RowShape, count: number): string => {
  const ofShape = texts.get(shape) ?? new Map<string, string>()
  texts.set(shape, ofShape)
  const key = `${dialect}${count}`
  const text = ofShape.get(key) ?? makeText(dialect, shape, count)
  ofShape.set(key, text)
  return text
}

/** Rows in groups of these sizes, the largest first. */
const grouped = (rows: ReadonlyArray<Row>): ReadonlyArray<ReadonlyArray<Row>> => {
  const groups: Array<ReadonlyArray<Row>> = []
  let from = 0
  for (const count of rowCounts) {
    for (; rows.length - from >= count; from += count) groups.push(rows.slice(from, from + count))
  }
  return groups
}

/** Inserts rows. An empty list does nothing. */
export function* insertRows(dialect: Dialect, shape: RowShape, rows: ReadonlyArray<Row>): Plan<void> {
  for (const group of grouped(rows)) yield { text: textOf(dialect, shape, group.length), values: group.flat() }
}
