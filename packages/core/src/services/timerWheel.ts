/** A timer wheel: hundreds of thousands of deadlines owned by one fiber, each inserted, cancelled and met in constant time. */
import { Clock, Duration, Effect, type Scope } from "effect"

/** A deadline in the wheel. */
export interface Timer {
  /** Takes it out; a timer that was met or cancelled before is left alone. */
  readonly cancel: () => void
}

/** Deadlines on the clock's monotonic time. */
export interface TimerWheel {
  /** Milliseconds of the clock that the wheel turns by; it never goes back. */
  readonly nowMs: () => number
  /** Calls back once, at or just after the deadline. The callback must be short and must not throw. */
  readonly at: (deadlineMs: number, callback: (nowMs: number) => void) => Timer
}

/** One spoke: a slot of the inner wheel is a millisecond, of the outer wheel a whole turn of the inner. */
const innerSlots = 4_096
const outerSlots = 32_768

/** A node of a slot's circular list; the slot's own head is such a node too. */
class Node implements Timer {
  next: Node = this
  previous: Node = this
  readonly tick: number
  readonly callback: (nowMs: number) => void

  constructor(tick: number, callback: (nowMs: number) => void) {
    this.tick = tick
    this.callback = callback
  }

  readonly cancel = (): void => {
    this.next.previous = this.previous
    this.previous.next = this.next
    this.next = this
    this.previous = this
  }

  /** Puts a node at the end of the list that this node heads. */
  append(node: Node): void {
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
const heads = (count: number): ReadonlyArray<Node> => Array.from({ length: count }, () => new Node(0, ignore))

/** The slots and the hand, without any notion of who turns it. Ticks are whole milliseconds since the wheel was made. */
class Slots {
  #hand = 0
  readonly #inner = heads(innerSlots)
  readonly #outer = heads(outerSlots)

  insert(node: Node): void {
    const tick = Math.max(node.tick, this.#hand)
    const turnsAhead = Math.floor(tick / innerSlots) - Math.floor(this.#hand / innerSlots)
    const slot = turnsAhead === 0
      ? this.#inner[tick % innerSlots]
      : this.#outer[Math.floor(tick / innerSlots) % outerSlots]
    slot?.append(node)
  }

  /** The tick at which there may be something to do: the next used slot of this turn, else of a later turn; none when empty. */
  nextTick(): number | undefined {
    const turn = Math.floor(this.#hand / innerSlots)
    for (let slot = this.#hand % innerSlots; slot < innerSlots; slot += 1) {
      if (this.#inner[slot]?.isEmpty === false) return turn * innerSlots + slot
    }
    for (let ahead = 1; ahead <= outerSlots; ahead += 1) {
      if (this.#outer[(turn + ahead) % outerSlots]?.isEmpty === false) return (turn + ahead) * innerSlots
    }
    return undefined
  }

  /** Turns the hand to a tick and meets every deadline up to it, in order. */
  advance(to: number, nowMs: number): void {
    for (;;) {
      const next = this.nextTick()
      if (next === undefined || next > to) break
      if (Math.floor(next / innerSlots) > Math.floor(this.#hand / innerSlots)) this.#open(next)
      this.#hand = Math.max(this.#hand, next)
      this.#meet(this.#inner[next % innerSlots], nowMs)
    }
    // The hand may pass empty turns only; whatever is due later is still ahead of it.
    if (to > this.#hand) this.#turnTo(to)
  }

  #turnTo(tick: number): void {
    if (Math.floor(tick / innerSlots) > Math.floor(this.#hand / innerSlots)) this.#open(tick)
    this.#hand = tick
  }

  /** Begins the turn of a tick: its nodes move from the outer wheel to the inner. */
  #open(tick: number): void {
    const turn = Math.floor(tick / innerSlots)
    this.#hand = turn * innerSlots
    const slot = this.#outer[turn % outerSlots]
    if (slot === undefined) return
    const waiting: Array<Node> = []
    for (let node = slot.next; node !== slot; node = node.next) waiting.push(node)
    for (const node of waiting) {
      node.cancel()
      this.insert(node)
    }
  }

  #meet(slot: Node | undefined, nowMs: number): void {
    // A callback may cancel others of this slot, or insert into it: take the first until none is left.
    for (let node = slot?.next; node !== undefined && node !== slot; node = slot?.next) {
      node.cancel()
      node.callback(nowMs)
    }
  }
}

/** Makes a wheel that turns until its scope closes. */
export const makeTimerWheel: Effect.Effect<TimerWheel, never, Scope.Scope> = Effect.gen(function*() {
  const clock = yield* Clock.clockWith(Effect.succeed)
  // By way of whole microseconds, which a double holds exactly: nanoseconds since the epoch are rounded by hundreds of them.
  const nowMs = (): number => Number(clock.unsafeCurrentTimeNanos() / 1_000n) / 1e3
  const originMs = nowMs()
  const slots = new Slots()
  let wakeAtMs = Number.POSITIVE_INFINITY
  let wake: (() => void) | undefined

  /** Sleeps until the next used slot, or until an earlier deadline comes in. */
  const rest = Effect.suspend(() => {
    const next = slots.nextTick()
    const plannedMs = next === undefined ? Number.POSITIVE_INFINITY : originMs + next
    wakeAtMs = plannedMs
    const earlier = Effect.async<void>((resume) => {
      // This fiber of the race begins a moment after the plan was made; an earlier deadline may have come in since.
      if (wakeAtMs < plannedMs) return resume(Effect.void)
      wake = () => resume(Effect.void)
      return Effect.sync(() => {
        wake = undefined
      })
    })
    if (next === undefined) return earlier
    const waitMs = Math.ceil(plannedMs - nowMs())
    return waitMs <= 0 ? Effect.yieldNow() : Effect.raceFirst(clock.sleep(Duration.millis(waitMs)), earlier)
  })

  const turn = Effect.sync(() => {
    wake = undefined
    const now = nowMs()
    slots.advance(Math.floor(now - originMs), now)
  })

  yield* Effect.forkScoped(Effect.forever(Effect.zipRight(rest, turn)))

  return {
    nowMs,
    at: (deadlineMs, callback) => {
      // Rounded up: a deadline is never met early.
      const node = new Node(Math.max(0, Math.ceil(deadlineMs - originMs)), callback)
      slots.insert(node)
      if (deadlineMs < wakeAtMs) {
        wakeAtMs = deadlineMs
        wake?.()
      }
      return node
    }
  }
})
