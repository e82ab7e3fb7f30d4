/** A run as its edge sees it. */
import type { CourseEvent } from "./runCourse.ts"

/** A run that may be under way on an executor. */
export interface EdgeRun {
  /** When it wants to be told of the time, in ms; undefined: not now. */
  readonly wakeMs: number | undefined
  /** Until when it only waits for a free place, in ms; undefined: it does not. */
  readonly waitsUntilMs: number | undefined
  /** Whether somebody waits for it. */
  readonly isUnderWay: boolean
  /** The executor that has it, the attempt, and the number of the message expected next. */
  readonly running: { readonly executor: string; readonly attempt: string; readonly next: number } | undefined
  /** Something has happened. It never throws: a defect ends this run alone. */
  readonly tell: (event: CourseEvent) => void
}
