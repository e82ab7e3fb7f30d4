/** What a program printed, as lines below a title. */
import type { Paint } from "../output/paint.ts"
import { printable } from "../output/printable.ts"

/** The title and the lines, indented; nothing of a program that printed nothing. */
export const logLines = (title: string, text: string, paint: Paint): ReadonlyArray<string> =>
  text === ""
    ? []
    : [
        "",
        paint("dim", title),
        ...printable(text)
          .replace(/\n$/, "")
          .split("\n")
          .map((line) => `  ${line}`)
      ]
