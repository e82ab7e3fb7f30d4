/** Tables and lists of fields for people: aligned columns without frames. */
import { type Paint, withoutColours } from "./paint.ts"

/** One column: its heading, and the alignment of its values (numbers to the right). */
export interface Column<Row> {
  readonly head: string
  readonly cell: (row: Row, paint: Paint) => string
  readonly align?: "left" | "right"
}

const gap = "  "

const padded = (text: string, width: number, align: "left" | "right" = "left"): string => {
  const space = " ".repeat(Math.max(0, width - withoutColours(text).length))
  return align === "right" ? space + text : text + space
}

/** The rows under their headings; if there are none, the text `nothing`. */
export const table = <Row>(
  rows: ReadonlyArray<Row>,
  columns: ReadonlyArray<Column<Row>>,
  nothing: string,
  paint: Paint
): ReadonlyArray<string> => {
  if (rows.length === 0) return [paint("dim", nothing)]
  const lines = [columns.map(({ head }) => paint("dim", head)), ...rows.map((row) => columns.map(({ cell }) => cell(row, paint)))]
  const widths = columns.map((_, at) => Math.max(...lines.map((cells) => withoutColours(cells[at] ?? "").length)))
  return lines.map((cells) =>
    cells
      .map((cell, at) => padded(cell, widths[at] ?? 0, columns[at]?.align))
      .join(gap)
      .trimEnd()
  )
}

/** One object, one line per field. */
export const fields = (values: ReadonlyArray<readonly [label: string, value: string]>, paint: Paint): ReadonlyArray<string> => {
  const width = Math.max(0, ...values.map(([label]) => label.length))
  return values.map(([label, value]) => `${paint("dim", label.padEnd(width))}${gap}${value}`.trimEnd())
}
