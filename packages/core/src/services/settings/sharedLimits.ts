/** Limits that several processes of one server share: runs of a project in flight, connections of a key (decision D41). */
import { Context, Effect, Layer } from "effect"

/**
 * Counts what the other processes of this server have in flight. Each process counts its own itself; this port adds the others, so that a
 * client sees the same limits however many processes answer on one port.
 */
export class SharedLimits extends Context.Tag("@sibyl/core/SharedLimits")<
  SharedLimits,
  {
    /** Takes a place for one run of a project; false if all processes together have `max` in flight. A taken place must be left. */
    readonly takeRunPlace: (projectId: string, max: number) => Effect.Effect<boolean>
    readonly leaveRunPlace: (projectId: string) => void
    /** How many connections of a key the other processes have open. */
    readonly connectionsElsewhere: (apiKeyId: string) => Effect.Effect<number>
    /** Counts a new connection of this process; how many the other processes had open at that moment. */
    readonly connectionOpened: (apiKeyId: string) => Effect.Effect<number>
    readonly connectionClosed: (apiKeyId: string) => void
  }
>() {
  /** For a server of one process, which counts everything itself. */
  static readonly layerAlone: Layer.Layer<SharedLimits> = Layer.succeed(SharedLimits, {
    takeRunPlace: () => Effect.succeed(true),
    leaveRunPlace: () => {},
    connectionsElsewhere: () => Effect.succeed(0),
    connectionOpened: () => Effect.succeed(0),
    connectionClosed: () => {}
  })
}
