/** A chart of numbers over time: one curve for each feed, or for a history. */
import { useEffect, useRef } from "preact/hooks"
import UPlot from "uplot"

/** Seconds since the Unix epoch, then for each curve a number or null at each of them. */
export type ChartData = readonly [ReadonlyArray<number>, ...ReadonlyArray<ReadonlyArray<number | null>>]

/** The colour of each curve, the first again after the last; the same in a feed's card. */
export const strokes = ["#2f81d6", "#c2571a", "#2c9a5b", "#a04fc0", "#b8373f", "#8a7a12"]

const height = 220

const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

/** Its colours are looked up at each drawing: a page that is open in the evening may become dark. */
const axis = {
  stroke: () => colour("--soft"),
  grid: { stroke: () => colour("--line"), width: 1 },
  ticks: { stroke: () => colour("--line"), width: 1 }
}

const darkness = matchMedia("(prefers-color-scheme: dark)")

const plotIn = (element: HTMLElement, labels: ReadonlyArray<string>): UPlot =>
  new UPlot(
    {
      width: element.clientWidth,
      height,
      legend: { show: false },
      cursor: { show: false },
      axes: [axis, { ...axis, size: 80 }],
      series: [
        {},
        ...labels.map((label, index) => ({ label, stroke: strokes[index % strokes.length] ?? "#888", width: 2, spanGaps: true }))
      ]
    },
    [[]],
    element
  )

interface Parts {
  readonly labels: ReadonlyArray<string>
  readonly data: ChartData
  readonly title: string
}

/** The chart, as wide as its place. */
export const ChartView = ({ data, labels, title }: Parts) => {
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<UPlot>()
  useEffect(() => {
    const element = place.current
    if (element === null) return undefined
    const made = plotIn(element, labels)
    plot.current = made
    const resized = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }))
    resized.observe(element)
    const redraw = (): void => made.redraw(false, true)
    darkness.addEventListener("change", redraw)
    return () => {
      darkness.removeEventListener("change", redraw)
      resized.disconnect()
      made.destroy()
    }
  }, [labels.join()])
  useEffect(() => plot.current?.setData(data as unknown as UPlot.AlignedData), [data])
  return <div class="chart" ref={place} role="img" aria-label={title} />
}
