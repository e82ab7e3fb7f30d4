/** Colours for people at a terminal, and none for anybody else. */

/** What a text may look like. */
export type Colour = "bold" | "dim" | "green" | "red" | "yellow"

const codes: Readonly<Record<Colour, number>> = { bold: 1, dim: 2, green: 32, red: 31, yellow: 33 }

/** Gives a text a colour, or leaves it as it is. */
export type Paint = (colour: Colour, text: string) => string

/** Paints with ANSI sequences when `coloured`. */
export const paintWith =
  (coloured: boolean): Paint =>
  (colour, text) =>
    coloured ? `\u001b[${codes[colour]}m${text}\u001b[0m` : text

/** Whether a terminal wants colours: it is one, and `NO_COLOR` is unset or empty (no-color.org). */
export const wantsColours = (isTerminal: boolean, noColor: string | undefined): boolean =>
  isTerminal && (noColor === undefined || noColor === "")

/** An output stream of this process; `isTTY` is not there when it is no terminal. */
type Output = { readonly isTTY?: boolean }

/** Whether an output stream of this process wants colours. */
export const isColoured = (stream: Output): boolean => wantsColours(stream.isTTY ?? false, process.env["NO_COLOR"])

/** The colours of an output stream of this process. */
export const paintFor = (stream: Output): Paint => paintWith(isColoured(stream))

const sequences = new RegExp("\u001b\\[[0-9;]*m", "g")

/** A text without its colours: what it measures on a screen, and what a file gets. */
export const withoutColours = (text: string): string => text.replace(sequences, "")
