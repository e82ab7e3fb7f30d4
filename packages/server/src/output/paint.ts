/** Colours for terminals, and none for other outputs. */

/** The styles of a text. */
export type Colour = "bold" | "dim" | "green" | "red" | "yellow"

const codes: Readonly<Record<Colour, number>> = { bold: 1, dim: 2, green: 32, red: 31, yellow: 33 }

/** Styles a text, or leaves it unchanged. */
export type Paint = (colour: Colour, text: string) => string

/** Paints with ANSI sequences when `coloured`. */
export const paintWith =
  (coloured: boolean): Paint =>
  (colour, text) =>
    coloured ? `\u001b[${codes[colour]}m${text}\u001b[0m` : text

/** Whether an output gets colours: it is a terminal, and `NO_COLOR` is unset or empty (no-color.org). */
export const wantsColours = (isTerminal: boolean, noColor: string | undefined): boolean =>
  isTerminal && (noColor === undefined || noColor === "")

/** An output stream of this process; `isTTY` is absent unless it is a terminal. */
type Output = { readonly isTTY?: boolean }

/** Whether an output stream of this process wants colours. */
export const isColoured = (stream: Output): boolean => wantsColours(stream.isTTY ?? false, process.env["NO_COLOR"])

/** The colours of an output stream of this process. */
export const paintFor = (stream: Output): Paint => paintWith(isColoured(stream))

const sequences = new RegExp("\u001b\\[[0-9;]*m", "g")

/** A text without its colours, for measuring and for files. */
export const withoutColours = (text: string): string => text.replace(sequences, "")
