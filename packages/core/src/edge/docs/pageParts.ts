/** What the documentation pages are built of: escaped text, code, tables, sections, and the frame around them. */
import { pageStyle } from "./pageStyle.ts"

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

/** Text for HTML. */
export const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => entities[character] ?? character)

/** A word of the interface. */
export const code = (text: string | number): string => `<code>${escaped(String(text))}</code>`

/** A table; its cells are HTML already. */
export const table = (heads: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const line = (cells: ReadonlyArray<string>, tag: "td" | "th"): string =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join("")}</tr>`
  return `<div class="wide"><table><thead>${line(heads, "th")}</thead><tbody>${rows.map((cells) => line(cells, "td")).join("")}</tbody></table></div>`
}

/** A section under a heading, with an anchor. */
export const section = (id: string, title: string, body: string): string => `<section id="${id}"><h2>${title}</h2>${body}</section>`

/** A page in one file. `links` and `body` are HTML already. */
export const htmlPage = (
  title: string,
  { body, lead, links }: { readonly lead: string; readonly links: string; readonly body: string }
): string =>
  `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sibyl: ${escaped(title)}</title><style>${pageStyle}</style></head><body>
<header><h1>${escaped(title)}</h1>
<p class="lead">${escaped(lead)}</p>
<nav>${links}</nav></header><main>
${body}
</main></body></html>
`
