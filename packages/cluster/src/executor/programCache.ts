/** The programs of an executor, by the hash of their bytes. Each is fetched once, whoever asks for it first. */
import { programIdOf, RuntimeDefect } from "@sibyl/core"
import { Deferred, Effect, Exit } from "effect"
import { LRUCache } from "lru-cache"

/** Bytes of programs that are kept. */
const maxBytes = 67_108_864

/** A cache of programs. */
export class ProgramCache {
  private readonly kept = new LRUCache<string, Uint8Array>({ maxSize: maxBytes, sizeCalculation: (bytes) => bytes.length + 1 })
  private readonly fetched = new Map<string, Deferred.Deferred<Uint8Array | undefined>>()

  /** The bytes behind an id; `fetch` is used by the first who needs them, and by everyone else if that fails. */
  bytesOf(programId: string, fetch: Effect.Effect<Uint8Array>): Effect.Effect<Uint8Array> {
    return Effect.suspend(() => {
      const kept = this.kept.get(programId)
      if (kept !== undefined) return Effect.succeed(kept)
      const underWay = this.fetched.get(programId)
      if (underWay === undefined) return this.fetching(programId, fetch)
      return Effect.flatMap(Deferred.await(underWay), (bytes) =>
        bytes === undefined ? this.checked(programId, fetch) : Effect.succeed(bytes)
      )
    })
  }

  private fetching(programId: string, fetch: Effect.Effect<Uint8Array>): Effect.Effect<Uint8Array> {
    return Effect.flatMap(Deferred.make<Uint8Array | undefined>(), (deferred) => {
      this.fetched.set(programId, deferred)
      return Effect.onExit(this.checked(programId, fetch), (exit) => {
        this.fetched.delete(programId)
        return Deferred.succeed(deferred, Exit.isSuccess(exit) ? exit.value : undefined)
      })
    })
  }

  private checked(programId: string, fetch: Effect.Effect<Uint8Array>): Effect.Effect<Uint8Array> {
    return Effect.flatMap(fetch, (bytes) => {
      if (programIdOf(bytes) !== programId) return Effect.die(new RuntimeDefect(`the bytes that came for program ${programId} are others`))
      this.kept.set(programId, bytes)
      return Effect.succeed(bytes)
    })
  }
}
