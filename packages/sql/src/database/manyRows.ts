/** Inserts of many rows, in few statements. */
import type { Plan } from "./plan.ts"
import type { Dialect, Query, QueryValue } from "./query.ts"

/** A table to insert into: its columns, and what to do with an existing row. */
export interface RowShape {
  readonly table: string
  readonly columns: ReadonlyArray<string>
  /** The end of the statement, such as `ON CONFLICT (...) DO UPDATE SET ...`. */
  readonly onConflict?: string
}

/** One value for every column of a shape. */
export type Row = ReadonlyArray<QueryValue>

/** Rows per statement on SQLite: there is one text for each of these counts, so that prepared statements are reused. */
const rowCounts = [64, 16, 4, 1]

/** Rows per statement on PostgreSQL at most, where every statement is parsed anew and takes a way to the database and back. */
const mostRows = 256

/** By shape and number of rows. */
const texts = new WeakMap<RowShape, Map<number, string>>()

const makeText = ({ columns, onConflict = "", table }: RowShape, count: number): string => {
  const row = `(${columns.map(() => "?").join(", ")})`
  const rows = Array.from({ length: count }, () => row).join(", ")
  return `INSERT INTO ${table} (${columns.join(", ")}) VALUES ${rows} ${onConflict}`
}

const textOf = (shape: RowShape, count: number): string => {
  const ofShape = texts.get(shape) ?? new Map<number, string>()
  texts.set(shape, ofShape)
  const text = ofShape.get(count) ?? makeText(shape, count)
  ofShape.set(count, text)
  return text
}

/** How many of the remaining rows the next statement takes. */
const nextCount = (dialect: Dialect, left: number): number =>
  dialect === "pg" ? Math.min(left, mostRows) : (rowCounts.find((count) => count <= left) ?? 1)

/** Rows as they are divided among statements. */
const grouped = (dialect: Dialect, rows: ReadonlyArray<Row>): ReadonlyArray<ReadonlyArray<Row>> => {
  const groups: Array<ReadonlyArray<Row>> = []
  for (let from = 0; from < rows.length;) {
    const to = from + nextCount(dialect, rows.length - from)
    groups.push(rows.slice(from, to))
    from = to
  }
  return groups
}

/** Inserts rows. An empty list does nothing. */
export function* insertRows(dialect: Dialect, shape: RowShape, rows: ReadonlyArray<Row>): Plan<void> {
  const statements: ReadonlyArray<Query> = grouped(dialect, rows).map((group) => ({
    text: textOf(shape, group.length),
    values: group.flat()
  }))
  if (statements.length > 0) yield statements
}
