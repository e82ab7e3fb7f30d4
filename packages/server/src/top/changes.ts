/** What happened between two scrapes of one server, or since its start where there is only one. */
import type { Sample, Scrape } from "./exposition.ts"

/** Two scrapes of one server, and the time between them. */
export interface Interval {
  readonly before: Scrape
  readonly after: Scrape
  readonly seconds: number
}

/** Which values of a metric are meant: those that have these labels, among others. */
export type Labels = Readonly<Record<string, string>>

const has = (sample: Sample, name: string, labels: Labels): boolean =>
  sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value)

/** The values of a metric with some labels. */
export const samplesOf = ({ samples }: Scrape, name: string, labels: Labels = {}): ReadonlyArray<Sample> =>
  samples.filter((sample) => has(sample, name, labels))

/** The sum of a gauge's values; `undefined` if the server has no such metric. */
export const gauge = (scrape: Scrape, name: string, labels: Labels = {}): number | undefined => {
  const found = samplesOf(scrape, name, labels)
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0)
}

const keyOf = ({ labels, name }: Sample): string =>
  JSON.stringify([name, ...Object.entries(labels).toSorted(([one], [two]) => (one < two ? -1 : 1))])

/** By how much a counter has grown. One that is smaller than before has been reset: it began again with 0. */
export const grown = (before: number | undefined, after: number): number =>
  before === undefined || after < before ? after : after - before

/** What each value of a counter has grown by. One that was not there before has grown from 0. */
export const increases = ({ after, before }: Interval, name: string, labels: Labels = {}): ReadonlyArray<Sample> => {
  const known = new Map(samplesOf(before, name, labels).map((sample) => [keyOf(sample), sample.value]))
  return samplesOf(after, name, labels).map((sample) => ({ ...sample, value: grown(known.get(keyOf(sample)), sample.value) }))
}

/** A counter's growth per second; `undefined` if the server has no such metric. */
export const rate = (interval: Interval, name: string, labels: Labels = {}): number | undefined => {
  const found = increases(interval, name, labels)
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0) / interval.seconds
}

/** A counter's growth per second by one of its labels. */
export const ratesBy = (interval: Interval, name: string, label: string): Readonly<Record<string, number>> => {
  const rates: Record<string, number> = {}
  for (const { labels, value } of increases(interval, name)) {
    const key = labels[label] ?? ""
    rates[key] = (rates[key] ?? 0) + value / interval.seconds
  }
  return rates
}

/** The values that a label of a metric has, in order. */
export const valuesOf = (scrape: Scrape, name: string, label: string): ReadonlyArray<string> =>
  [...new Set(samplesOf(scrape, name).flatMap(({ labels }) => labels[label] ?? []))].toSorted()
