/** Group commit: many callers share one durable transaction, or one query; what arrives meanwhile goes into the next one. */
import { Effect, Exit, RuntimeFlags, type Scope } from "effect"

/** How groups are formed and committed. */
export interface GroupOptions<Item, A, E> {
  /** Maximum items in a group. */
  readonly mostItems: number
  /** The owner of an item, if there are several. Owners take turns if not all items fit into a group. */
  readonly ownerOf?: (item: Item) => string
  /** Roughly how many bytes an item writes, if that differs. */
  readonly bytesOf?: (item: Item) => number
  /** A group with this many bytes takes no further item, so that no caller waits long for the writes of others. */
  readonly mostBytes?: number
  /**
   * How many groups are committed at once, 1 by default. A further one begins only if it has `mostItems`: it is worth a commit of its own, and
   * what follows on the first is then made meanwhile, instead of while nothing is being committed.
   */
  readonly mostUnderWay?: number
  /**
   * Commits a group and returns the outcome of each item, in order. No caller gets its outcome before the commit has ended. `join` adds what
   * waits by now for the same owners to the group, as long as there is room, and returns it.
   */
  readonly commit: (items: ReadonlyArray<Item>, join: () => ReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<Exit.Exit<A, E>>>
  /**
   * What to do if a caller was interrupted; `undefined` if its item is still valid without it. Otherwise a waiting item is dropped, and a
   * committed one is followed by the item that this returns, if any.
   */
  readonly undo?: (item: Item) => { readonly after: (outcome: Exit.Exit<A, E>) => Item | undefined } | undefined
}

/** Adds an item to the next group and returns its outcome. */
export type Submit<Item, A, E> = (item: Item) => Effect.Effect<A, E>

interface Waiting<Item, A, E> {
  readonly item: Item
  readonly answer: (outcome: Exit.Exit<A, E>) => void
  isUnderWay: boolean
  isAbandoned: boolean
  outcome: Exit.Exit<A, E> | undefined
}

const nobody = (): void => {}

/** The waiting callers, and the fibers that wait for them. Plain code, because it runs once for every hold and post. */
class WaitingLine<Item, A, E> {
  readonly #options: GroupOptions<Item, A, E>
  #line: Array<Waiting<Item, A, E>> = []
  /** What is called to ask those that wait for a group whether it begins now. */
  readonly #takers = new Set<() => void>()
  #isTaking = false
  #underWay = 0
  #isOpen = true

  constructor(options: GroupOptions<Item, A, E>) {
    this.#options = options
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  add(item: Item, answer: (outcome: Exit.Exit<A, E>) => void): Waiting<Item, A, E> {
    const waiting = { item, answer, isUnderWay: false, isAbandoned: false, outcome: undefined }
    this.#line.push(waiting)
    this.#wake()
    return waiting
  }

  /** Handles an interrupted caller, in any state of its item. */
  leave(waiting: Waiting<Item, A, E>): void {
    if (this.#options.undo?.(waiting.item) === undefined) return
    waiting.isAbandoned = true
    if (waiting.isUnderWay) return this.#undo(waiting)
    this.#line = this.#line.filter((other) => other !== waiting)
    this.#wake()
  }

  finish(waiting: Waiting<Item, A, E>, outcome: Exit.Exit<A, E>): void {
    waiting.outcome = outcome
    waiting.answer(outcome)
    if (waiting.isAbandoned) this.#undo(waiting)
  }

  #undo({ item, outcome }: Waiting<Item, A, E>): void {
    const next = outcome === undefined ? undefined : this.#options.undo?.(item)?.after(outcome)
    if (next !== undefined) this.add(next, nobody)
  }

  /**
   * The next group, as soon as it may begin; `undefined` when the queue is closed and empty. `ended` follows on the commit of one that is not
   * empty: it is if callers were interrupted meanwhile.
   */
  next(): Effect.Effect<Array<Waiting<Item, A, E>> | undefined> {
    return Effect.async((resume) => {
      const take = (): void => {
        const isOver = this.#line.length === 0 && !this.#isOpen
        if (!isOver && !this.#mayBegin()) return
        this.#takers.delete(take)
        if (isOver) return resume(Effect.succeed(undefined))
        this.#isTaking = true
        // Later items of this turn of the event loop share the commit too.
        setImmediate(() => resume(Effect.sync(() => this.#take())))
      }
      this.#takers.add(take)
      take()
    })
  }

  /** The commit of a group has ended. */
  ended(): void {
    this.#underWay -= 1
  }

  #wake(): void {
    for (const take of this.#takers) take()
  }

  #mayBegin(): boolean {
    return !this.#isTaking && this.#line.length >= (this.#underWay === 0 ? 1 : this.#options.mostItems)
  }

  #take(): Array<Waiting<Item, A, E>> {
    this.#isTaking = false
    const group = this.#mayBegin() ? this.#formed() : []
    if (group.length > 0) this.#underWay += 1
    this.#wake()
    return group
  }

  #formed(): Array<Waiting<Item, A, E>> {
    return this.#filled([], () => true)
  }

  /** Adds what waits for the owners of a group, and returns that. */
  join(group: Array<Waiting<Item, A, E>>): ReadonlyArray<Waiting<Item, A, E>> {
    const { ownerOf } = this.#options
    const before = group.length
    const owners = new Set(ownerOf === undefined ? [] : group.map(({ item }) => ownerOf(item)))
    this.#filled(group, ({ item }) => ownerOf === undefined || owners.has(ownerOf(item)))
    return group.slice(before)
  }

  /** Fills a group with those that wait and may enter it. */
  #filled(group: Array<Waiting<Item, A, E>>, mayEnter: (waiting: Waiting<Item, A, E>) => boolean): Array<Waiting<Item, A, E>> {
    const { bytesOf = () => 0, mostBytes = Infinity, mostItems } = this.#options
    let bytes = group.reduce((sum, { item }) => sum + bytesOf(item), 0)
    for (const waiting of this.#inTurns()) {
      if (group.length === mostItems || bytes >= mostBytes) break
      if (!mayEnter(waiting)) continue
      waiting.isUnderWay = true
      group.push(waiting)
      bytes += bytesOf(waiting.item)
    }
    if (this.#line.some(({ isUnderWay }) => isUnderWay)) this.#line = this.#line.filter(({ isUnderWay }) => !isUnderWay)
    return group
  }

  /** One item of each owner, then the second of each, and so on; the items of one owner in order. */
  #inTurns(): ReadonlyArray<Waiting<Item, A, E>> {
    const { ownerOf } = this.#options
    if (ownerOf === undefined) return this.#line
    const rounds: Array<Array<Waiting<Item, A, E>>> = []
    const taken = new Map<string, number>()
    for (const waiting of this.#line) {
      const owner = ownerOf(waiting.item)
      const round = taken.get(owner) ?? 0
      taken.set(owner, round + 1)
      const others = rounds[round]
      if (others === undefined) rounds.push([waiting])
      else others.push(waiting)
    }
    return rounds.flat()
  }

  close(): void {
    this.#isOpen = false
    this.#wake()
  }
}

/**
 * Starts the fibers that form group after group. When idle, a group begins at the end of the event-loop turn of its first item;
 * under load groups grow. When the scope closes, waiting items are committed first.
 */
export const makeGroupCommit = <Item, A, E>(options: GroupOptions<Item, A, E>): Effect.Effect<Submit<Item, A, E>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const line = new WaitingLine(options)
    const itemsOf = (group: ReadonlyArray<Waiting<Item, A, E>>) => group.map(({ item }) => item)
    const commitGroup = (group: Array<Waiting<Item, A, E>>): Effect.Effect<void> =>
      group.length === 0
        ? Effect.void
        : Effect.map(Effect.exit(options.commit(itemsOf(group), () => itemsOf(line.join(group)))), (exit) => {
            line.ended()
            for (const [at, waiting] of group.entries()) {
              const outcome = Exit.isSuccess(exit) ? exit.value[at] : Exit.failCause(exit.cause)
              line.finish(waiting, outcome ?? Exit.die(new Error("a commit that says nothing of an item")))
            }
          })
    const loop: Effect.Effect<void> = Effect.flatMap(line.next(), (group) =>
      group === undefined ? Effect.void : Effect.zipRight(commitGroup(group), loop)
    )
    const loops = Array.from({ length: options.mostUnderWay ?? 1 }, () => loop)
    yield* Effect.acquireRelease(Effect.forkDaemon(Effect.all(loops, { concurrency: "unbounded", discard: true })), (fiber) =>
      Effect.zipRight(
        Effect.sync(() => line.close()),
        fiber.await
      )
    )
    return (item) =>
      Effect.withFiberRuntime<A, E>((_caller, { runtimeFlags }) =>
        Effect.async((resume) => {
          if (!line.isOpen) return resume(Effect.dieMessage("this store is closed"))
          const waiting = line.add(item, resume)
          // To be ready for an interruption takes as many steps as the rest, and charges are never interrupted.
          return RuntimeFlags.interruption(runtimeFlags) ? Effect.sync(() => line.leave(waiting)) : undefined
        })
      )
  })
