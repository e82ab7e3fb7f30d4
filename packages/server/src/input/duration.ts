/** Spans of time as people write them: `90s`, `15m`, `24h`, `30d`. */
import { Option } from "effect"

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const form = /^(0|[1-9][0-9]*)(ms|s|m|h|d)$/

/** The rule of a span; completes "must be". */
export const durationRule = "a number with its unit, such as 500ms, 90s, 15m, 24h or 30d"

/** The milliseconds of a span. */
export const durationMs = (text: string): Option.Option<number> => {
  const [, count = "", unit = ""] = form.exec(text) ?? []
  const milliseconds = Number(count) * (unitsMs[unit] ?? Number.NaN)
  return count !== "" && Number.isSafeInteger(milliseconds) ? Option.some(milliseconds) : Option.none()
}

/** A span in the largest unit that divides it. */
export const durationText = (milliseconds: number): string => {
  const fitting = ["d", "h", "m", "s"].find((unit) => milliseconds % (unitsMs[unit] ?? 1) === 0)
  return milliseconds === 0 || fitting === undefined ? `${milliseconds}ms` : `${milliseconds / (unitsMs[fitting] ?? 1)}${fitting}`
}
