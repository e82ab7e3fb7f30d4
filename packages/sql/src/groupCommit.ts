/** Many callers share one durable commit: what arrives while one is under way goes into the next. */
import { Deferred, Effect, Exit, Queue, type Scope } from "effect"

/** How groups are formed and done. */
export interface GroupOptions<Item, Outcome> {
  /** The most items of one group. */
  readonly mostItems: number
  /** Does a group and says what each came to, in its order. Nobody hears of theirs before it has ended. */
  readonly commit: (items: ReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<Outcome>>
  /**
   * What is to be done when a caller went away: `undefined` when its item is right without it. Otherwise an item that
   * waits is left out, and one that was done is followed by the one which this answers, if any.
   */
  readonly undo?: (item: Item) => { readonly after: (outcome: Outcome) => Item | undefined } | undefined
}

/** Adds an item to the next group and answers what it came to. */
export type Submit<Item, Outcome> = (item: Item) => Effect.Effect<Outcome>

interface Waiting<Item, Outcome> {
  readonly item: Item
  readonly answer: Deferred.Deferred<Outcome>
  stage: "waiting" | "under way" | "left out" | "done"
  outcome: Outcome | undefined
  isAbandoned: boolean
}

/** Nothing to do but to look whether the end has come. */
type Ticket<Item, Outcome> = Waiting<Item, Outcome> | "end"

const enqueue = <Item, Outcome>(
  queue: Queue.Queue<Ticket<Item, Outcome>>,
  item: Item
): Effect.Effect<Waiting<Item, Outcome>> =>
  Effect.gen(function* () {
    const answer = yield* Deferred.make<Outcome>()
    const waiting: Waiting<Item, Outcome> = { item, answer, stage: "waiting", outcome: undefined, isAbandoned: false }
    yield* Queue.offer(queue, waiting)
    return waiting
  })

/**
 * Starts the one fiber that commits, group after group; with one at a time there is no wait when nothing is under way,
 * and the busier it is the bigger the groups. At the end of the scope what waits is done first.
 */
export const makeGroupCommit = <Item, Outcome>(
  options: GroupOptions<Item, Outcome>
): Effect.Effect<Submit<Item, Outcome>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { commit, mostItems, undo } = options
    const queue = yield* Queue.unbounded<Ticket<Item, Outcome>>()

    const undoDone = ({ item, outcome }: Waiting<Item, Outcome>): Effect.Effect<void> => {
      const next = outcome === undefined ? undefined : undo?.(item)?.after(outcome)
      return next === undefined ? Effect.void : Effect.asVoid(enqueue(queue, next))
    }
    const leave = (waiting: Waiting<Item, Outcome>): Effect.Effect<void> =>
      Effect.suspend(() => {
        if (undo?.(waiting.item) === undefined) return Effect.void
        waiting.isAbandoned = true
        if (waiting.stage === "waiting") waiting.stage = "left out"
        return waiting.stage === "done" ? undoDone(waiting) : Effect.void
      })
    const finish = (waiting: Waiting<Item, Outcome>, outcome: Outcome): Effect.Effect<void> =>
      Effect.suspend(() => {
        waiting.stage = "done"
        waiting.outcome = outcome
        const told = Deferred.succeed(waiting.answer, outcome)
        return waiting.isAbandoned ? Effect.zipRight(told, undoDone(waiting)) : Effect.asVoid(told)
      })
    const fail = (group: ReadonlyArray<Waiting<Item, Outcome>>, exit: Exit.Exit<never>): Effect.Effect<void> =>
      Effect.forEach(group, ({ answer }) => Deferred.done(answer, exit), { discard: true })
    const commitGroup = (tickets: ReadonlyArray<Ticket<Item, Outcome>>): Effect.Effect<void> =>
      Effect.suspend(() => {
        const group = tickets.filter((ticket) => ticket !== "end").filter(({ stage }) => stage === "waiting")
        if (group.length === 0) return Effect.void
        for (const waiting of group) waiting.stage = "under way"
        return Effect.matchCauseEffect(commit(group.map(({ item }) => item)), {
          onFailure: (cause) => fail(group, Exit.failCause(cause)),
          onSuccess: (outcomes) =>
            Effect.forEach(group, (waiting, at) => finish(waiting, outcomes[at] as Outcome), { discard: true })
        })
      })

    let isOpen = true
    const loop: Effect.Effect<void> = Effect.flatMap(
      Effect.suspend(() => (isOpen ? Queue.takeBetween(queue, 1, mostItems) : Queue.takeUpTo(queue, mostItems))),
      (tickets) => (tickets.length === 0 ? Effect.void : Effect.zipRight(commitGroup([...tickets]), loop))
    )
    const end = Effect.suspend(() => {
      isOpen = false
      return Queue.offer(queue, "end")
    })
    yield* Effect.acquireRelease(Effect.forkDaemon(loop), (fiber) => Effect.zipRight(end, fiber.await))
    const whileOpen = Effect.suspend(() => (isOpen ? Effect.void : Effect.dieMessage("this store is closed")))
    return (item) =>
      Effect.uninterruptibleMask((restore) =>
        whileOpen.pipe(
          Effect.zipRight(enqueue(queue, item)),
          Effect.flatMap((waiting) =>
            Effect.onInterrupt(restore(Deferred.await(waiting.answer)), () => leave(waiting))
          )
        )
      )
  })
