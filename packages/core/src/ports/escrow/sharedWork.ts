/** Work that one caller does and others wait for. */
import { TransientMap } from "../../domain/encoding/transientMap.ts"
import { Deferred, Effect, FiberId, type Scope } from "effect"

/**
 * Work that is under way, by what it is about. A fiber can be interrupted between any two of its steps: what is said to be under way here
 * is always said to be over, too, or others would wait for ever.
 */
export class SharedWork<Key extends string> {
  readonly #ends = new TransientMap<Key, Deferred.Deferred<void>>()

  isUnderWay(key: Key): boolean {
    return this.#ends.has(key)
  }

  /** Waits until it is over, if it is under way. */
  over(key: Key): Effect.Effect<void> {
    return Effect.suspend(() => {
      const end = this.#ends.get(key)
      return end === undefined ? Effect.void : Deferred.await(end)
    })
  }

  /** It is under way from now on, until what is returned is called; for callers that cannot be interrupted between the two. */
  begin(key: Key): () => void {
    const end = Deferred.unsafeMake<void>(FiberId.none)
    this.#ends.set(key, end)
    return () => {
      this.#ends.delete(key)
      Deferred.unsafeDone(end, Effect.void)
    }
  }

  /** Does the work, which is over when it ends or its caller leaves; if it is under way already, does the other thing. */
  alone<A, E>(key: Key, work: Effect.Effect<A, E>, otherwise: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.uninterruptibleMask((leaving) =>
      Effect.suspend(() => (this.isUnderWay(key) ? leaving(otherwise) : Effect.ensuring(leaving(work), Effect.sync(this.begin(key)))))
    )
  }

  /** Has the work done in a fiber of the scope, which goes on when the caller leaves, unless it is under way; waits until it is over. */
  detached(key: Key, work: Effect.Effect<void>, scope: Scope.Scope): Effect.Effect<void> {
    return Effect.uninterruptibleMask((leaving) =>
      Effect.suspend(() => {
        const over = leaving(this.over(key))
        // The fiber cannot be interrupted either, not even before its first step.
        return this.isUnderWay(key)
          ? over
          : Effect.zipRight(Effect.forkIn(Effect.ensuring(work, Effect.sync(this.begin(key))), scope), over)
      })
    )
  }
}
