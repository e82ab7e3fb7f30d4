/** What `sibyl top` shows, as lines for a terminal or a pipe. */
import type { Paint } from "../output/paint.ts"
import { withoutColours } from "../output/paint.ts"
import { fields, table } from "../output/table.ts"
import type { FeedsOfMode, Figure, Spread, TopView, Upstream } from "./topView.ts"

const none = "-"

const digits = (value: number): string =>
  value.toLocaleString("en-US", { maximumFractionDigits: value !== 0 && Math.abs(value) < 10 ? 2 : value < 100 ? 1 : 0 })

const shown = (value: Figure, unit = ""): string => (value === null ? none : `${digits(value)}${unit}`)

const perSecond = (value: Figure): string => shown(value, "/s")

const ms = (value: Figure): string => (value === null ? none : value < 1_000 ? `${digits(value)} ms` : `${digits(value / 1_000)} s`)

const units = ["B", "KiB", "MiB", "GiB", "TiB"] as const

const bytes = (value: Figure): string => {
  if (value === null) return none
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, value)) / 10)))
  return `${digits(value / 1_024 ** power)} ${units[power] ?? ""}`
}

/** The two largest units of a span. */
const span = (value: Figure): string => {
  if (value === null) return none
  const [days, hours, minutes, seconds] = [value / 86_400, (value / 3_600) % 24, (value / 60) % 60, value % 60].map(Math.floor)
  if (days !== 0) return `${days} d ${hours} h`
  return hours !== 0 ? `${hours} h ${minutes} min` : minutes !== 0 ? `${minutes} min ${seconds} s` : `${seconds} s`
}

const both = ({ p50Ms, p99Ms }: Spread): string => `${ms(p50Ms)}, ${ms(p99Ms)}`

const percent = (value: Figure): string => (value === null ? none : `${digits(value * 100)} %`)

const ratesText = (rates: Readonly<Record<string, number>>): string =>
  Object.entries(rates)
    .toSorted(([one], [two]) => (one < two ? -1 : 1))
    .map(([label, each]) => `${label} ${perSecond(each)}`)
    .join(", ") || none

const runsOf = ({ retriesPerSecond, runs, workers }: TopView, paint: Paint): ReadonlyArray<string> => {
  return fields(
    [
      ["runs", ratesText(runs.perSecond)],
      ["in flight", `${shown(runs.inFlight)}, ${shown(workers)} workers ready`],
      ["run p50, p99", both(runs.duration)],
      ...Object.entries(runs.phases).map(([phase, each]): readonly [string, string] => [`${phase} p50, p99`, both(each)]),
      ["waiting p50, p99", both(runs.queueWait)],
      ...(Object.keys(retriesPerSecond).length === 0 ? [] : [["another executor", ratesText(retriesPerSecond)] as const])
    ],
    paint
  )
}

const feedsOf = ({ feeds }: TopView, paint: Paint): ReadonlyArray<string> =>
  table<FeedsOfMode>(
    feeds,
    [
      { head: "feeds", cell: ({ mode }) => mode },
      { head: "running", cell: ({ running }) => shown(running), align: "right" },
      { head: "late p50", cell: ({ lateness }) => ms(lateness.p50Ms), align: "right" },
      { head: "p99", cell: ({ lateness }) => ms(lateness.p99Ms), align: "right" },
      { head: "left out", cell: ({ droppedPerSecond }) => perSecond(droppedPerSecond), align: "right" }
    ],
    "no feeds",
    paint
  )

/** A host whose latest good answer is older than this is marked. */
const staleSeconds = 60

const upstreamsOf = ({ upstreams }: TopView, paint: Paint): ReadonlyArray<string> =>
  table<Upstream>(
    upstreams,
    [
      { head: "upstream", cell: ({ host }) => host },
      { head: "requests", cell: ({ requestsPerSecond }) => perSecond(requestsPerSecond), align: "right" },
      { head: "failed", cell: ({ failedPart }, paint) => marked(percent(failedPart), (failedPart ?? 0) > 0, paint), align: "right" },
      { head: "p50", cell: ({ latency }) => ms(latency.p50Ms), align: "right" },
      { head: "p99", cell: ({ latency }) => ms(latency.p99Ms), align: "right" },
      { head: "good answer", cell: ({ staleSeconds: age }, paint) => marked(ago(age), (age ?? 0) > staleSeconds, paint), align: "right" }
    ],
    "no upstream was asked",
    paint
  )

const ago = (value: Figure): string => (value === null ? none : `${span(value)} ago`)

const marked = (text: string, isBad: boolean, paint: Paint): string => (isBad ? paint("red", text) : text)

const restOf = (
  { commit, connections, credits, outboxBytes, overlappingPerSecond, process }: TopView,
  paint: Paint
): ReadonlyArray<string> => {
  const { heldPerSecond, postedPerSecond, refusedPerSecond } = credits
  const refused = marked(`${perSecond(refusedPerSecond)} runs refused`, (refusedPerSecond ?? 0) > 0, paint)
  return fields(
    [
      ["too many at once", `${perSecond(overlappingPerSecond)} starts of feeds refused`],
      ["connections", `${shown(connections)}, ${bytes(outboxBytes)} waiting to be sent`],
      ["credits", `${perSecond(heldPerSecond)} held, ${perSecond(postedPerSecond)} charged, ${refused}`],
      ["commit p50, p99", both(commit)],
      ["memory", `${bytes(process.memoryBytes)}, heap ${bytes(process.heapBytes)}`],
      ["processors", shown(process.processors)],
      ["event loop p50, p99", both(process.eventLoop)]
    ],
    paint
  )
}

/**
 * The lines of a view, of a server that is called `title`. Small screens show only the first ones: what is wrong with the server comes before
 * what was last seen of it, and the upstreams, which may be many and have the busiest first, come last.
 */
export const topLines = (view: TopView, title: string, paint: Paint, trouble?: string): ReadonlyArray<string> => [
  `${paint("bold", title)}  up ${span(view.upSeconds)}  ${paint("dim", `over ${span(view.intervalSeconds)}`)}`,
  ...(trouble === undefined ? [] : [paint("red", trouble)]),
  "",
  ...runsOf(view, paint),
  "",
  ...feedsOf(view, paint),
  "",
  ...restOf(view, paint),
  "",
  ...upstreamsOf(view, paint)
]

/** A line cut to a width, with its colours: those that were begun end where it is cut. */
export const cut = (line: string, width: number): string => {
  if (withoutColours(line).length <= width) return line
  let left = Math.max(0, width - 1)
  let text = ""
  for (const part of line.split(/(\u001b\[[0-9;]*m)/)) {
    if (part.startsWith("\u001b[")) text += part
    else {
      text += part.slice(0, left)
      left -= Math.min(left, part.length)
    }
  }
  return `${text}…`
}
