/** Reads metrics in Prometheus's text format, as a server shows them at `/metrics`. */

/** One value: a counter, a gauge, or a part of a histogram (`_bucket` with `le`, `_sum`, `_count`). */
export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** All values of one moment. */
export interface Scrape {
  readonly samples: ReadonlyArray<Sample>
}

const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)(?:\s+-?\d+)?\s*$/
const label = /\s*([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"\s*(?:,|$)/y

const escaped: Readonly<Record<string, string>> = { n: "\n" }

const unescaped = (text: string): string => text.replaceAll(/\\(.)/g, (_, character: string) => escaped[character] ?? character)

const valueOf = (text: string): number | undefined => {
  if (/^[+-]?Inf$/i.test(text)) return text.startsWith("-") ? -Infinity : Infinity
  if (/^NaN$/i.test(text)) return Number.NaN
  const value = Number(text)
  return Number.isNaN(value) ? undefined : value
}

const labelsOf = (text: string): Readonly<Record<string, string>> | undefined => {
  const labels: Record<string, string> = {}
  const all = text.trim()
  for (label.lastIndex = 0; label.lastIndex < all.length;) {
    const [, name, value] = label.exec(all) ?? []
    if (name === undefined || value === undefined) return undefined
    labels[name] = unescaped(value)
  }
  return labels
}

const sampleOf = (text: string): Sample | undefined => {
  const [, name, labels = "", written = ""] = line.exec(text) ?? []
  const value = valueOf(written)
  const read = labelsOf(labels)
  return name === undefined || value === undefined || read === undefined ? undefined : { name, labels: read, value }
}

/** Reads a text; `undefined` if a line of it is not of the format, or there is no value in it at all: it is something else then. */
export const readExposition = (text: string): Scrape | undefined => {
  const lines = text.split("\n").filter((each) => each.trim() !== "" && !each.startsWith("#"))
  const samples = lines.flatMap((each) => sampleOf(each) ?? [])
  return samples.length === 0 || samples.length < lines.length ? undefined : { samples }
}
