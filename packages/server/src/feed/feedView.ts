/** Runs of feeds as lines: columns for people, the modes side by side when there are several, JSON for programs. */
import type { FeedMode } from "@sibyl/core"
import { printable } from "../output/printable.ts"
import { type Paint, paintWith } from "../output/paint.ts"
import type { FeedRun } from "./feedMessages.ts"

/** One received run. Times are milliseconds since the Unix epoch. */
export interface ReceivedRun {
  readonly mode: FeedMode
  readonly receivedAtMs: number
  readonly run: FeedRun
  /** The whole notification. */
  readonly raw: object
}

/** Formats runs as lines. */
export interface FeedView {
  /** Printed once, before the first run. */
  readonly head: ReadonlyArray<string>
  readonly line: (received: ReceivedRun) => string
}

const two = (value: number): string => String(value).padStart(2, "0")

/** The local time of day. */
export const timeOfDay = (atMs: number): string => {
  const at = new Date(atMs)
  const milliseconds = String(at.getMilliseconds()).padStart(3, "0")
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${milliseconds}`
}

/** Dollars: cents from one dollar up, eight decimals below. */
export const dollars = (price: number): string => {
  const decimals = Math.abs(price) >= 1 ? 2 : 8
  return `$${price.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: decimals })}`
}

const priceOf = (result: unknown): number | undefined =>
  typeof result === "object" && result !== null && "price" in result && typeof result.price === "number" ? result.price : undefined

/** A result in a few characters: its price if it has one, else the value itself. */
export const resultText = (result: unknown): string => {
  const price = priceOf(result)
  if (price !== undefined) return dollars(price)
  return printable(typeof result === "string" ? result : JSON.stringify(result))
}

/** How late a run started, in milliseconds. */
export const latenessMsOf = ({ scheduledAt, startedAt }: FeedRun): number => startedAt - scheduledAt

interface Cell {
  readonly seq: string
  readonly late: string
  readonly text: string
  readonly failed: boolean
}

const cellOf = (run: FeedRun): Cell => {
  const lateMs = latenessMsOf(run)
  const failed = run.error !== undefined || run.result === undefined
  const text =
    run.error === undefined
      ? run.result === undefined
        ? "neither result nor error"
        : resultText(run.result.data.result)
      : printable(`${run.error._tag ?? run.error.code}: ${run.error.error}`)
  return {
    seq: `#${run.seq}`,
    late: `${lateMs < 0 ? "" : "+"}${lateMs} ms`,
    text,
    failed
  }
}

const fitted = (text: string, width: number): string => (text.length > width ? `${text.slice(0, width - 1)}…` : text.padEnd(width))

const timeWidth = 12
const modeWidth = 10
const seqWidth = 6
const lateWidth = 8
const columnTextWidth = 22
const columnWidth = seqWidth + lateWidth + columnTextWidth

/** One mode: time, mode, number, lateness, result. */
const singleView = (paint: Paint): FeedView => ({
  head: [
    paint(
      "dim",
      ["time".padEnd(timeWidth), "mode".padEnd(modeWidth), `${"run".padEnd(seqWidth)}${"late".padEnd(lateWidth)}result`].join("  ")
    )
  ],
  line: ({ mode, receivedAtMs, run }) => {
    const { failed, late, seq, text } = cellOf(run)
    const numbers = `${seq.padEnd(seqWidth)}${late.padEnd(lateWidth)}`
    const start = `${timeOfDay(receivedAtMs)}  ${mode.padEnd(modeWidth)}  ${numbers}`
    return `${paint("dim", start)}${paint(failed ? "red" : "bold", text)}`
  }
})

/** Several modes side by side: each run in its mode's column. */
const columnsView = (modes: ReadonlyArray<FeedMode>, paint: Paint): FeedView => ({
  head: [`${"time".padEnd(timeWidth)}  ${modes.map((mode) => mode.padEnd(columnWidth)).join("  ")}`.trimEnd()].map((text) =>
    paint("dim", text)
  ),
  line: ({ mode, receivedAtMs, run }) => {
    const { failed, late, seq, text } = cellOf(run)
    const before = " ".repeat(modes.indexOf(mode) * (columnWidth + 2))
    const numbers = paint("dim", `${seq.padEnd(seqWidth)}${late.padEnd(lateWidth)}`)
    const result = paint(failed ? "red" : "bold", fitted(text, columnTextWidth).trimEnd())
    return `${paint("dim", timeOfDay(receivedAtMs))}  ${before}${numbers}${result}`
  }
})

/** One JSON object per line: the whole notification, and the time of arrival. */
const jsonView: FeedView = {
  head: [],
  line: ({ mode, raw, receivedAtMs, run }) => JSON.stringify({ mode, receivedAt: receivedAtMs, latenessMs: latenessMsOf(run), ...raw })
}

/** The view that was asked for. */
export const feedView = (
  modes: ReadonlyArray<FeedMode>,
  { coloured, json }: { readonly coloured: boolean; readonly json: boolean }
): FeedView => {
  if (json) return jsonView
  return modes.length === 1 ? singleView(paintWith(coloured)) : columnsView(modes, paintWith(coloured))
}
