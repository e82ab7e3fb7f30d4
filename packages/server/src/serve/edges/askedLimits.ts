/** The limits that an edge shares with the others, by asking the supervisor. */
import { SharedLimits } from "@sibyl/core"
import { Effect, Layer } from "effect"
import { BorrowedPlaces } from "./borrowedPlaces.ts"
import type { AboutLimits, ToEdge } from "./edgeMessages.ts"

/** How often places that are not needed are given back. */
const lookMs = 1_000

/** Asks the supervisor. */
export class AskedLimits {
  readonly #tell: (message: AboutLimits) => void
  readonly #places: BorrowedPlaces
  readonly #counting = new Map<number, (connections: number) => void>()
  #asks = 0

  /** `tell` sends a message to the supervisor. */
  constructor(tell: (message: AboutLimits) => void) {
    this.#tell = tell
    this.#places = new BorrowedPlaces({
      ask: (projectId, max) => tell({ kind: "askPlaces", projectId, max }),
      giveBack: (projectId, places, isRecalled) => tell({ kind: "returnPlaces", projectId, places, isRecalled }),
      nowMs: () => performance.now()
    })
  }

  /** What the supervisor says about limits. */
  heard(message: Extract<ToEdge, { readonly kind: "elsewhere" | "places" | "recall" }>): void {
    switch (message.kind) {
      case "elsewhere":
        this.#counting.get(message.ask)?.(message.connections)
        return void this.#counting.delete(message.ask)
      case "places":
        return this.#places.granted(message.projectId, message.places)
      case "recall":
        return this.#places.recalled(message.projectId)
    }
  }

  #count(kind: "count" | "opened", apiKeyId: string): Effect.Effect<number> {
    return Effect.async<number>((resume) => {
      this.#asks += 1
      this.#counting.set(this.#asks, (connections) => resume(Effect.succeed(connections)))
      this.#tell({ kind, ask: this.#asks, apiKeyId })
    })
  }

  /** The port, and a fiber that gives back what is not needed. */
  readonly layer: Layer.Layer<SharedLimits> = Layer.scoped(
    SharedLimits,
    Effect.gen(this, function* () {
      const look = Effect.sync(() => this.#places.look())
      yield* Effect.forkScoped(Effect.forever(Effect.zipRight(Effect.sleep(lookMs), look)))
      return {
        takeRunPlace: (projectId, max) =>
          Effect.async<boolean>((resume) => this.#places.take(projectId, max, (isTaken) => resume(Effect.succeed(isTaken)))),
        leaveRunPlace: (projectId) => this.#places.leave(projectId),
        connectionsElsewhere: (apiKeyId) => this.#count("count", apiKeyId),
        connectionOpened: (apiKeyId) => this.#count("opened", apiKeyId),
        connectionClosed: (apiKeyId) => this.#tell({ kind: "closed", apiKeyId })
      }
    })
  )
}
