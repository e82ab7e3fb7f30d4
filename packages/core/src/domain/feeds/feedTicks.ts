/** Which ticks of a durable feed run, and when: the schedule of feeds, continued by any owner (decision D51). */
import { nextStart, type Schedule } from "../runs/feedSchedule.ts"

/** A tick to run. Times are milliseconds since the Unix epoch, by the store's time. */
export interface DueTick {
  readonly tick: number
  readonly scheduledAtMs: number
}

/** What an owner finds: the first tick that nobody has taken, and when the run before it ended. */
export interface TakenTicks {
  readonly nextTick: number
  readonly lastEndMs: number | undefined
}

/** The last point of the grid that is not after a time. */
const pointAt = ({ originMs, periodMs }: Schedule, ms: number): number => {
  const point = Math.floor((ms - originMs) / periodMs)
  return originMs + point * periodMs > ms ? point - 1 : point
}

/**
 * The first tick of a new owner. On a grid (FIXED, PARALLEL) it is the last point that has been reached, at once, unless that is taken:
 * then the next one. Points before it are left out. SEQUENTIAL continues a period after the last end, at once if that is over.
 */
export const firstTick = (schedule: Schedule, { lastEndMs, nextTick }: TakenTicks, nowMs: number): DueTick => {
  const { mode, originMs, periodMs } = schedule
  if (mode === "SEQUENTIAL") return { tick: nextTick, scheduledAtMs: lastEndMs === undefined ? originMs : lastEndMs + periodMs }
  const tick = Math.max(nextTick, pointAt(schedule, nowMs))
  return { tick, scheduledAtMs: originMs + tick * periodMs }
}

/** The tick after one that ran, by the rules of feeds (`nextStart`). A FIXED run that starts off the grid is the tick of the point before. */
export const tickAfter = (
  schedule: Schedule,
  ran: { readonly tick: number; readonly startMs: number; readonly endMs: number }
): DueTick => {
  const { endMs, startMs, tick } = ran
  const scheduledAtMs = nextStart(schedule, { seq: tick, startMs, endMs })
  return { tick: schedule.mode === "FIXED" ? Math.max(tick + 1, pointAt(schedule, scheduledAtMs)) : tick + 1, scheduledAtMs }
}
