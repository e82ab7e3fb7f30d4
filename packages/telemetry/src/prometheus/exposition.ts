/** Metrics as text: the exposition format of Prometheus, version 0.0.4. */
import type { MetricDescriptor, Series } from "@sibyl/core"

/** The media type of the text. */
export const expositionType = "text/plain; version=0.0.4; charset=utf-8"

const helpText = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")

const labelText = (text: string): string => helpText(text).replaceAll('"', '\\"')

const numberText = (value: number): string =>
  Number.isFinite(value) ? String(value) : Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf"

const labelsText = (pairs: ReadonlyArray<readonly [name: string, value: string]>): string =>
  pairs.length === 0 ? "" : `{${pairs.map(([name, value]) => `${name}="${labelText(value)}"`).join(",")}}`

const linesOf = ({ labels: names }: MetricDescriptor, { labels, name, value }: Series): ReadonlyArray<string> => {
  const pairs = names.map((label, place) => [label, labels[place] ?? ""] as const)
  if (value.kind === "number") return [`${name}${labelsText(pairs)} ${numberText(value.value)}`]
  const bucket = (bound: string, count: number): string => `${name}_bucket${labelsText([...pairs, ["le", bound]])} ${count}`
  return [
    ...value.buckets.map(([bound, count]) => bucket(numberText(bound), count)),
    bucket("+Inf", value.count),
    `${name}_sum${labelsText(pairs)} ${numberText(value.sum)}`,
    `${name}_count${labelsText(pairs)} ${value.count}`
  ]
}

/** The text of these series, in the order of their descriptors. Series of no descriptor are left out. */
export const exposition = (descriptors: ReadonlyArray<MetricDescriptor>, series: ReadonlyArray<Series>): string => {
  const byName = new Map<string, Array<Series>>()
  for (const one of series) byName.set(one.name, [...(byName.get(one.name) ?? []), one])
  return descriptors
    .flatMap((descriptor) => {
      const { help, kind, name } = descriptor
      const head = [`# HELP ${name} ${helpText(help)}`, `# TYPE ${name} ${kind}`]
      return [...head, ...(byName.get(name) ?? []).flatMap((one) => linesOf(descriptor, one))]
    })
    .map((line) => `${line}\n`)
    .join("")
}
