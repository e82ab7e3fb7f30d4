/** The course of one run over executors: whom to offer it to, what a message means, when another one goes on. Decisions only. */
import type { RunOutcome } from "@sibyl/core"
import type { PhaseSpending, Tape } from "@sibyl/vm/internal"
import type { Ask, Reply } from "../contract/replies.ts"
import { courseTimes } from "./courseTimes.ts"
import type { Need } from "./roster.ts"

/** Where a run is. */
type Place =
  | { readonly kind: "waiting"; readonly againMs: number }
  /** `to` undefined: any executor of the group. */
  | { readonly kind: "offered"; readonly attempt: string; readonly to: string | undefined; readonly untilMs: number }
  | { readonly kind: "running"; readonly attempt: string; readonly executor: string; readonly next: number }
  | { readonly kind: "ended" }

/** A run under way. */
export interface RunCourse {
  readonly place: Place
  readonly tape: Tape
  readonly spent: PhaseSpending | undefined
  /** Which virtual machine has made the tape. */
  readonly engine: string | undefined
  /** Until when somebody has to be found that takes it. */
  readonly searchUntilMs: number
  /** Whether an executor has begun it. */
  readonly hasBegun: boolean
  readonly isAbandoned: boolean
  readonly deaths: number
  /** Those that did not answer an offer, did not understand it or were lost with the run, and until when they get none, in ms. */
  readonly deaf: ReadonlyMap<string, number>
  /** Offers of the same task that nobody has accepted in time: on machines that are busy, a late acceptance is better than none. */
  readonly unanswered: ReadonlySet<string>
  /** Whether it is offered directly only. */
  readonly isDirect: boolean
}

/** What is told to a course. */
export type CourseEvent =
  | { readonly kind: "time" }
  | { readonly kind: "reply"; readonly attempt: string; readonly reply: Reply }
  /** Nobody listens where the offer went. */
  | { readonly kind: "nobody"; readonly attempt: string }
  /** Whoever got the offer understands other versions. */
  | { readonly kind: "refused"; readonly attempt: string }
  /** An executor is dead, or knows nothing of this attempt. */
  | { readonly kind: "lost"; readonly executor: string; readonly attempt?: string }
  | { readonly kind: "abandoned" }
  /** NATS has been away for so long that nobody should wait for an executor any more. */
  | { readonly kind: "cutOff" }

/** What is to be done. */
export type CourseAction =
  | { readonly kind: "offer"; readonly attempt: string; readonly to: string | undefined }
  | { readonly kind: "cancel"; readonly attempt: string; readonly executor: string }
  /** How the attempt ended has been heard: its executor may forget it, and has a free place. */
  | { readonly kind: "heard"; readonly attempt: string; readonly executor: string }
  | { readonly kind: "abandon"; readonly attempt: string; readonly executor: string }
  | { readonly kind: "answer"; readonly attempt: string; readonly executor: string; readonly n: number; readonly ask: Ask }
  /** The group has members that do not answer. */
  | { readonly kind: "distrust" }
  | { readonly kind: "full"; readonly executor: string }
  | { readonly kind: "done"; readonly outcome: RunOutcome }
  /** It may succeed later. `why` goes to the client, and says that nothing was charged. */
  | { readonly kind: "overloaded"; readonly why: string }
  | { readonly kind: "defect"; readonly why: string }

/** What a course needs to know of the others. */
export interface Surroundings {
  readonly nowMs: number
  /** An executor with a free place that fits. */
  readonly pick: (need: Need) => string | undefined
  /** Whether one lives that fits, free or not. */
  readonly has: (need: Need) => boolean
  /** Executors that have other executions of the same replicated run. */
  readonly others: ReadonlySet<string>
  /** Whether the group is to be trusted with an offer. */
  readonly groupIsTrusted: boolean
  readonly nextAttempt: () => string
}

/** A course, and what is to be done. */
export interface Step {
  readonly course: RunCourse
  readonly actions: ReadonlyArray<CourseAction>
}

/** A run before its first offer. */
export const courseOf = (tape: Tape, waitMs: number, isDirect: boolean, nowMs: number): RunCourse => ({
  place: { kind: "waiting", againMs: nowMs },
  tape,
  spent: undefined,
  engine: undefined,
  searchUntilMs: nowMs + waitMs,
  hasBegun: false,
  isAbandoned: false,
  deaths: 0,
  deaf: new Map(),
  unanswered: new Set(),
  isDirect
})

/** When a course is to be told of the time next; undefined: it waits for messages. */
export const wakeMs = ({ place }: RunCourse): number | undefined =>
  place.kind === "waiting" ? place.againMs : place.kind === "offered" ? place.untilMs : undefined

const deafened = ({ deaf }: RunCourse, executor: string | undefined, nowMs: number): RunCourse["deaf"] =>
  executor === undefined ? deaf : new Map([...deaf, [executor, nowMs + courseTimes.deafForMs]])

const ended = (course: RunCourse, ...actions: ReadonlyArray<CourseAction>): Step => ({
  course: { ...course, place: { kind: "ended" } },
  actions
})

const waiting = (course: RunCourse, againMs: number, ...actions: ReadonlyArray<CourseAction>): Step => ({
  course: { ...course, place: { kind: "waiting", againMs } },
  actions
})

const anybody: Need = { engine: undefined, except: new Set() }

const whyNotBegun = ({ isAbandoned, unanswered }: RunCourse, around: Surroundings): string => {
  if (isAbandoned) return "its caller left before it began"
  if (!around.has(anybody)) return "no executor is heard"
  // What NATS does not let this edge send looks the same from here.
  return unanswered.size > 0 ? "no executor answered an offer in time" : "no executor had a free place in time"
}

/** Nobody has been found in time. */
const givenUp = (course: RunCourse, around: Surroundings): Step =>
  course.hasBegun
    ? ended(course, { kind: "overloaded", why: "its executor was lost, and none was found that goes on with it; nothing was charged" })
    : ended(course, { kind: "overloaded", why: `${whyNotBegun(course, around)}; nothing ran and nothing was charged` })

/** The tape goes to the virtual machine that made it. Where none lives any more, the run begins again. */
const onLivingEngine = (course: RunCourse, around: Surroundings): RunCourse => {
  const { engine, tape } = course
  const except = around.others
  if (engine === undefined || around.has({ engine, except })) return course
  return around.has({ engine: undefined, except })
    ? { ...course, engine: undefined, spent: undefined, unanswered: new Set(), tape: { ...tape, entries: [] } }
    : course
}

/** Offers the run, if there is somebody to offer it to. */
const offering = (before: RunCourse, around: Surroundings): Step => {
  const { nowMs } = around
  if (nowMs >= before.searchUntilMs || (before.isAbandoned && !before.hasBegun)) return givenUp(before, around)
  const deaf = new Map([...before.deaf].filter(([, untilMs]) => untilMs > nowMs))
  const except = new Set([...deaf.keys(), ...around.others])
  const course = onLivingEngine({ ...before, deaf }, around)
  const untilMs = nowMs + courseTimes.acceptMs
  const mayGoToGroup = !course.isDirect && course.engine === undefined && around.groupIsTrusted && course.deaf.size === 0
  const to = mayGoToGroup ? undefined : around.pick({ engine: course.engine, except })
  if (to !== undefined || mayGoToGroup) {
    const attempt = around.nextAttempt()
    return { course: { ...course, place: { kind: "offered", attempt, to, untilMs } }, actions: [{ kind: "offer", attempt, to }] }
  }
  return waiting(course, nowMs + courseTimes.againMs)
}

/** Its executor is lost: another one goes on from the tape. */
const goingOn = (course: RunCourse, executor: string, around: Surroundings, ...first: ReadonlyArray<CourseAction>): Step => {
  const deaths = course.deaths + 1
  if (deaths > courseTimes.mostDeaths) {
    return ended(course, ...first, { kind: "defect", why: `its executor was lost ${deaths} times; is it this run that ends them?` })
  }
  const searching = {
    ...course,
    deaths,
    // Of an empty tape, nothing depends on who has it.
    engine: course.tape.entries.length === 0 ? undefined : course.engine,
    deaf: deafened(course, executor, around.nowMs),
    unanswered: new Set<string>(),
    isDirect: true,
    searchUntilMs: around.nowMs + courseTimes.searchMs
  }
  const step = offering(searching, around)
  return { ...step, actions: [...first, ...step.actions] }
}

const onTime = (course: RunCourse, around: Surroundings): Step => {
  const { place } = course
  if (place.kind === "waiting" && around.nowMs >= place.againMs) return offering(course, around)
  if (place.kind !== "offered" || around.nowMs < place.untilMs) return { course, actions: [] }
  // A member of the group that has stopped keeps getting its share.
  const deaf = deafened(course, place.to, around.nowMs)
  const unanswered = new Set([...course.unanswered, place.attempt])
  const step = offering({ ...course, deaf, unanswered, isDirect: true }, around)
  return place.to === undefined ? { ...step, actions: [{ kind: "distrust" }, ...step.actions] } : step
}

/** Whoever has just said that it has no place is not asked again at once. */
const without = (executor: string, around: Surroundings): Surroundings => ({ ...around, others: new Set([...around.others, executor]) })

/** The first message of the attempt that is offered. */
const onFirst = (course: RunCourse, attempt: string, { body, executor, n }: Reply, around: Surroundings): Step => {
  if (n !== 0) return { course, actions: [] }
  if (body.kind === "full") {
    const step = offering({ ...course, isDirect: true }, without(executor, around))
    return { ...step, actions: [{ kind: "full", executor }, ...step.actions] }
  }
  if (body.kind !== "accepted") return { course, actions: [] }
  if (around.others.has(executor)) {
    const step = offering({ ...course, isDirect: true }, around)
    return { ...step, actions: [{ kind: "cancel", attempt, executor }, ...step.actions] }
  }
  return accepted(course, { attempt, executor }, body.engine)
}

const accepted = (course: RunCourse, by: { readonly attempt: string; readonly executor: string }, engine: string): Step => {
  const place = { kind: "running", ...by, next: 1 } as const
  const actions: ReadonlyArray<CourseAction> = course.isAbandoned ? [{ kind: "abandon", ...by }] : []
  return { course: { ...course, place, engine, hasBegun: true, unanswered: new Set() }, actions }
}

/** An answer to an offer that was given up, while nobody else has accepted. What was offered since is cancelled when it is accepted. */
const onLate = (course: RunCourse, attempt: string, { body, executor, n }: Reply, around: Surroundings): Step => {
  if (n !== 0 || body.kind !== "accepted") return { course, actions: body.kind === "full" ? [{ kind: "full", executor }] : [] }
  return around.others.has(executor)
    ? { course, actions: [{ kind: "cancel", attempt, executor }] }
    : accepted(course, { attempt, executor }, body.engine)
}

const onMessage = (course: RunCourse, place: Place & { readonly kind: "running" }, { body, n }: Reply, around: Surroundings): Step => {
  const { attempt, executor, next } = place
  if (n < next) {
    // Its answer may have been lost.
    return { course, actions: body.kind === "ask" ? [{ kind: "answer", attempt, executor, n, ask: body.ask }] : [] }
  }
  // One before it was lost: both will be sent again.
  if (n > next) return { course, actions: [] }
  const going = { ...course, place: { ...place, next: next + 1 } }
  const heard: CourseAction = { kind: "heard", attempt, executor }
  switch (body.kind) {
    case "tape": {
      const entries = [...course.tape.entries.slice(0, body.from), ...body.entries]
      return { course: { ...going, tape: { ...course.tape, entries }, spent: body.spent }, actions: [] }
    }
    case "ask":
      return { course: going, actions: [{ kind: "answer", attempt, executor, n, ask: body.ask }] }
    case "done":
      return ended(going, heard, { kind: "done", outcome: body.outcome })
    case "defect":
      return ended(going, heard, { kind: "defect", why: body.message })
    case "overloaded": {
      // Nothing ran, so that it may still be refused.
      const unbegun = { ...course, hasBegun: course.tape.entries.length > 0 || course.deaths > 0, isDirect: true }
      const step = offering(unbegun, without(executor, around))
      return { ...step, actions: [{ kind: "cancel", attempt, executor }, { kind: "full", executor }, ...step.actions] }
    }
    case "left":
      // It ends in order: that is no death.
      return goingOn({ ...course, deaths: course.deaths - 1 }, executor, around, { kind: "cancel", attempt, executor })
    default:
      return { course: going, actions: [] }
  }
}

const onReply = (course: RunCourse, attempt: string, reply: Reply, around: Surroundings): Step => {
  const { place } = course
  if (place.kind === "offered" && place.attempt === attempt) return onFirst(course, attempt, reply, around)
  if (place.kind === "running") return place.attempt === attempt ? onMessage(course, place, reply, around) : { course, actions: [] }
  return course.unanswered.has(attempt) ? onLate(course, attempt, reply, around) : { course, actions: [] }
}

/** What follows from an event. An attempt that is not the current one has no say. */
export const stepOf = (course: RunCourse, event: CourseEvent, around: Surroundings): Step => {
  const { place } = course
  if (place.kind === "ended") return { course, actions: [] }
  switch (event.kind) {
    case "time":
      return onTime(course, around)
    case "reply":
      return onReply(course, event.attempt, event.reply, around)
    case "nobody":
    case "refused": {
      if (place.kind !== "offered" || place.attempt !== event.attempt) return { course, actions: [] }
      const deaf = deafened(course, place.to, around.nowMs)
      const isDirect = event.kind === "refused" || course.isDirect
      return waiting({ ...course, deaf, isDirect }, around.nowMs + courseTimes.deafMs)
    }
    case "lost":
      if (place.kind === "running" && place.executor === event.executor && (event.attempt ?? place.attempt) === place.attempt) {
        return goingOn(course, event.executor, around)
      }
      return { course, actions: [] }
    case "cutOff":
      // One that has not begun looks for a place as long as ever: NATS may be back before that.
      if (!course.hasBegun) return { course, actions: [] }
      return ended(course, { kind: "overloaded", why: "its executor could not be reached for too long; nothing was charged" })
    case "abandoned": {
      const left = { ...course, isAbandoned: true }
      if (place.kind === "waiting" && !course.hasBegun) return givenUp(left, around)
      const { attempt, executor } = place.kind === "running" ? place : { attempt: "", executor: "" }
      return { course: left, actions: place.kind === "running" ? [{ kind: "abandon", attempt, executor }] : [] }
    }
  }
}
