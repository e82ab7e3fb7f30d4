/** A timer wheel: one alarm for the next of hundreds of thousands of deadlines. Inserting, cancelling and firing take constant time. */
import { Clock, Effect, type Scope } from "effect"
import { Alarm } from "../../ports/alarm.ts"

/** A deadline in the wheel. */
export interface Timer {
  /** Cancels the timer. Does nothing if it has fired or was cancelled. */
  cancel(): void
  /** Sets it to another deadline, whatever its state, so that a recurring wait can reuse its timer. */
  setAgain(deadlineMs: number): void
}

/** Deadlines on the monotonic clock. */
export interface TimerWheel {
  /** Milliseconds of the wheel's monotonic clock. */
  readonly nowMs: () => number
  /** Calls back once, at the deadline or just after it. The callback must be short and must not throw. */
  readonly at: (deadlineMs: number, callback: (nowMs: number) => void) => Timer
}

/** The lowest level has one slot per millisecond, so that feeds with periods of up to some seconds never move between levels. */
const lowestSlots = 4_096
/** A slot of each upper level spans all slots of the level below. */
const upperSlots = 256
const upperSpans = [lowestSlots, lowestSlots * upperSlots] as const

/** Inserts a node at its deadline, in milliseconds of the clock. */
type Place = (node: Node, deadlineMs: number) => void

/** A node of a slot's circular list; the slot's own head is such a node too. */
class Node implements Timer {
  next: Node = this
  previous: Node = this
  tick = 0
  readonly callback: (nowMs: number) => void
  readonly #place: Place

  constructor(callback: (nowMs: number) => void, place: Place) {
    this.callback = callback
    this.#place = place
  }

  cancel(): void {
    this.next.previous = this.previous
    this.previous.next = this.next
    this.next = this
    this.previous = this
  }

  setAgain(deadlineMs: number): void {
    this.cancel()
    this.#place(this, deadlineMs)
  }

  /** Puts a node before this one; at the end of the list when this is its head. */
  putBefore(node: Node): void {
    node.previous = this.previous
    node.next = this
    this.previous.next = node
    this.previous = node
  }

  get isEmpty(): boolean {
    return this.next === this
  }
}

const ignore = (): void => {}
const heads = (count: number): ReadonlyArray<Node> => Array.from({ length: count }, () => new Node(ignore, ignore))

/** One upper level: the slots that are still ahead in its current turn. The highest level wraps around, so its turn never ends. */
interface Level {
  readonly span: number
  readonly isHighest: boolean
  readonly slots: ReadonlyArray<Node>
}

const slotOf = ({ slots, span }: Level, tick: number): Node | undefined => slots[Math.floor(tick / span) % upperSlots]

/**
 * The slots and the hand, independent of what advances it. Ticks are whole milliseconds since the wheel was made. The
 * lowest level wraps around; a node further ahead lies on the lowest upper level whose current turn contains its tick, and
 * moves down when the hand reaches its slot.
 */
class Slots {
  #hand = 0
  readonly #lowest = heads(lowestSlots)
  readonly #uppers: ReadonlyArray<Level> = upperSpans.map((span, at) => ({
    span,
    isHighest: at === upperSpans.length - 1,
    slots: heads(upperSlots)
  }))

  /** Puts a node behind those of the same tick. */
  insert(node: Node): void {
    this.#slotFor(node)?.putBefore(node)
  }

  /** The next tick at which there may be work: that of the next node, or the start of the next used slot of an upper level. */
  nextTick(): number | undefined {
    const border = (Math.floor(this.#hand / lowestSlots) + 1) * lowestSlots
    for (let tick = this.#hand; tick < this.#hand + lowestSlots; tick += 1) {
      // An upper slot may hold a node that comes before the lowest level's next.
      if (tick === border && this.#uppers.some((level) => tick % level.span === 0 && slotOf(level, tick)?.isEmpty === false)) return tick
      if (this.#lowest[tick % lowestSlots]?.isEmpty === false) return tick
    }
    return this.#nextUpperTick()
  }

  #nextUpperTick(): number | undefined {
    for (const { isHighest, slots, span } of this.#uppers) {
      // The current slot was emptied when the hand reached it.
      const present = Math.floor(this.#hand / span)
      const last = isHighest ? present + upperSlots : present - (present % upperSlots) + upperSlots - 1
      for (let slot = present + 1; slot <= last; slot += 1) {
        if (slots[slot % upperSlots]?.isEmpty === false) return slot * span
      }
    }
    return undefined
  }

  /** Advances the hand to a tick and fires every deadline up to it, in order. If `isEnough` says so, the rest waits for the next call. */
  advance(to: number, nowMs: number, isEnough: () => boolean): void {
    for (let next = this.nextTick(); next !== undefined && next <= to; next = this.nextTick()) {
      this.#turnTo(next)
      this.#meet(next, nowMs, isEnough)
      if (isEnough()) return
    }
    this.#turnTo(to)
  }

  #slotFor(node: Node): Node | undefined {
    const tick = Math.max(node.tick, this.#hand)
    if (tick - this.#hand < lowestSlots) return this.#lowest[tick % lowestSlots]
    const level = this.#uppers.find(({ isHighest, span }) => {
      const turn = span * upperSlots
      return isHighest || Math.floor(tick / turn) === Math.floor(this.#hand / turn)
    })
    return level === undefined ? undefined : slotOf(level, tick)
  }

  /** Advances the hand; the slots that it reaches are emptied into the levels below. It must not pass a used slot. */
  #turnTo(tick: number): void {
    const before = this.#hand
    if (tick <= before) return
    this.#hand = tick
    for (const level of this.#uppers) {
      if (Math.floor(tick / level.span) > Math.floor(before / level.span)) this.#open(slotOf(level, tick))
    }
  }

  /** Its nodes were inserted before any node of the same tick on a lower level, so they go first. */
  #open(slot: Node | undefined): void {
    const waiting: Array<Node> = []
    for (let node = slot?.previous; node !== undefined && node !== slot; node = node.previous) waiting.push(node)
    for (const node of waiting) {
      node.cancel()
      this.#slotFor(node)?.next.putBefore(node)
    }
  }

  #meet(tick: number, nowMs: number, isEnough: () => boolean): void {
    const slot = this.#lowest[tick % lowestSlots]
    // A callback may cancel nodes of this slot or insert into it, so the first is taken until none is left.
    for (let node = slot?.next; node !== undefined && node !== slot; node = slot?.next) {
      node.cancel()
      node.callback(nowMs)
      if (isEnough()) return
    }
  }
}

/** How long the wheel fires deadlines before the event loop gets a turn for everything else (sockets, timers, ends of runs). */
const turnMs = 10

/** Makes a wheel that turns until its scope closes. */
export const makeTimerWheel: Effect.Effect<TimerWheel, never, Scope.Scope> = Effect.gen(function* () {
  const clock = yield* Clock.clockWith(Effect.succeed)
  const setAlarm = yield* yield* Alarm
  // Through whole microseconds, which a double holds exactly; nanoseconds since the epoch would lose the last hundreds.
  const nowMs = (): number => Number(clock.unsafeCurrentTimeNanos() / 1_000n) / 1e3
  const originMs = nowMs()
  const slots = new Slots()
  let cancelAlarm = (): void => {}
  /** When the alarm rings. While the wheel is advancing, no new deadline needs to set it. */
  let ringsAtMs = Number.POSITIVE_INFINITY

  /** Sets the alarm to the next used slot, in place of any earlier one. */
  const setToNext = (): void => {
    cancelAlarm()
    const next = slots.nextTick()
    ringsAtMs = next === undefined ? Number.POSITIVE_INFINITY : originMs + next
    // Waits even if it is late already, so that the event loop gets a turn in between.
    cancelAlarm = next === undefined ? () => {} : setAlarm(Math.max(0, Math.ceil(ringsAtMs - nowMs())), turn)
  }

  const turn = (): void => {
    ringsAtMs = Number.NEGATIVE_INFINITY
    const now = nowMs()
    slots.advance(Math.floor(now - originMs), now, () => nowMs() - now >= turnMs)
    setToNext()
  }

  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      cancelAlarm()
      ringsAtMs = Number.NEGATIVE_INFINITY
    })
  )

  const place: Place = (node, deadlineMs) => {
    // Rounded up, so that no deadline fires early.
    node.tick = Math.max(0, Math.ceil(deadlineMs - originMs))
    slots.insert(node)
    if (deadlineMs < ringsAtMs) setToNext()
  }

  return {
    nowMs,
    at: (deadlineMs, callback) => {
      const node = new Node(callback, place)
      place(node, deadlineMs)
      return node
    }
  }
})
