/** Sends each message of a feed to all its members in order, a bounded number of them in a turn of the event loop. */

/** Whoever is sent the messages of a feed. Neither method may throw. */
export interface Member<M> {
  /** Whether it reads what it is sent; while it does not, messages are left out for it. */
  readonly mayRead: () => boolean
  readonly send: (message: M) => void
}

/** Sends in one turn of the event loop, of all feeds together: some milliseconds. */
export const sendsPerTurn = 256
/** Sends of one feed before the next feed has its turn. */
const sendsAtOnce = 64

/** A member, and how many messages had been published when it joined: it is sent none of those. */
interface Place<M> {
  readonly member: Member<M>
  readonly since: number
}

/** The members of one feed, and the messages that not all of them have been sent. */
export class Audience<M> {
  readonly #fanOut: FanOut
  readonly #places = new Map<Member<M>, Place<M>>()
  #waiting: Array<M> = []
  /** How many messages have been sent to all. */
  #sentToAll = 0
  /** Who is next to be sent the first waiting message. It sees members that join or leave meanwhile. */
  #rest: Iterator<Place<M>> | undefined

  /** Without members. */
  constructor(fanOut: FanOut) {
    this.#fanOut = fanOut
  }

  get size(): number {
    return this.#places.size
  }

  /** How many messages are not sent to all yet. */
  get backlog(): number {
    return this.#waiting.length
  }

  /** The member that has been here for longest. */
  get oldest(): Member<M> | undefined {
    return this.#places.keys().next().value
  }

  /** Whether anyone reads. */
  get hasReader(): boolean {
    for (const member of this.#places.keys()) if (member.mayRead()) return true
    return false
  }

  /** From now on it is sent what is published. */
  join(member: Member<M>): void {
    this.#places.set(member, { member, since: this.#sentToAll + this.#waiting.length })
  }

  /** From now on it is sent nothing. */
  leave(member: Member<M>): void {
    this.#places.delete(member)
  }

  /** Sends a message to everyone who is a member now and stays until its turn. */
  publish(message: M): void {
    this.#waiting.push(message)
    if (this.#waiting.length === 1) this.#fanOut.begin(this)
  }

  /** Drops what waits. */
  clear(): void {
    this.#waiting = []
    this.#places.clear()
    this.#rest = undefined
  }

  /** Takes up to `most` steps; how many it took. Fewer: nothing is left to do. */
  sendSome(most: number): number {
    let steps = 0
    while (steps < most) {
      const [message] = this.#waiting
      if (message === undefined) break
      steps += 1
      this.#rest ??= this.#places.values()
      const next = this.#rest.next()
      if (next.done === true) this.#sentOne()
      else if (next.value.since <= this.#sentToAll && next.value.member.mayRead()) next.value.member.send(message)
    }
    return steps
  }

  #sentOne(): void {
    this.#waiting.shift()
    this.#sentToAll += 1
    this.#rest = undefined
  }
}

/** What an audience looks like to the loop. */
type Work = Pick<Audience<never>, "sendSome" | "backlog">

/** The loop over all audiences with something to send: they take turns. */
export class FanOut {
  readonly #nextTurn: (then: () => void) => void
  #left = sendsPerTurn
  #works: Array<Work> = []
  #isWorking = false

  /** `nextTurn` calls back in another turn of the event loop. */
  constructor(nextTurn: (then: () => void) => void) {
    this.#nextTurn = nextTurn
  }

  /** An audience has its first message to send. */
  begin(work: Work): void {
    this.#works.push(work)
    this.#work()
  }

  #work(): void {
    // A send may publish nothing, but end a feed; it must not come back here in the middle of another.
    if (this.#isWorking || this.#left <= 0) return
    this.#isWorking = true
    for (let work = this.#works.shift(); work !== undefined; work = this.#works.shift()) {
      this.#left -= work.sendSome(Math.min(this.#left, sendsAtOnce))
      if (work.backlog > 0) this.#works.push(work)
      if (this.#left <= 0) break
    }
    this.#isWorking = false
    // Turns are counted only when there is a lot to send, so that a small feed needs no timer.
    if (this.#left <= 0) this.#nextTurn(() => this.#turn())
  }

  #turn(): void {
    this.#left = sendsPerTurn
    this.#work()
  }
}
