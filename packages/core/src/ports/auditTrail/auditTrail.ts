/** The port to the record of what operators changed: who, when, what, and never a secret. */
import { Clock, Context, Effect, Layer } from "effect"

/** Values of a change, as they are written to a log. */
export type AuditDetails = Readonly<Record<string, string | number | boolean | null>>

/** A change that an operator made. */
export interface AuditedChange {
  /** What was done, as `key.revoke`. */
  readonly action: string
  /** To what: the id, the slug, the name or the public key of it. */
  readonly subject: string
  readonly details: AuditDetails
}

/** A change as it is kept. */
export interface AuditEntry extends AuditedChange {
  /** 1 for the first, then one more each time. */
  readonly entry: number
  readonly atMs: number
  /** The account of the operating system that ran the command, or `service`. At most 255 characters. */
  readonly by: string
}

/** Which entries to read, newest first. */
export interface AuditPage {
  readonly amount: number
  readonly beforeEntry?: number
}

/** Keeps what operators changed. Nothing is ever removed. */
export class AuditTrail extends Context.Tag("@sibyl/core/AuditTrail")<
  AuditTrail,
  {
    /** Adds an entry that is dated now. */
    readonly add: (by: string, change: AuditedChange) => Effect.Effect<AuditEntry>
    /**
     * Runs a change that adds its entries, so that either all of it is kept or nothing. A change that fails has written nothing before. Where
     * the trail is not kept beside what is changed, it only runs the change.
     */
    readonly asOne: <A, E, R>(change: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** At most `amount` entries with higher numbers than `entry`, oldest first. */
    readonly after: (entry: number, amount: number) => Effect.Effect<ReadonlyArray<AuditEntry>>
    /** A page, newest first. */
    readonly latest: (page: AuditPage) => Effect.Effect<ReadonlyArray<AuditEntry>>
  }
>() {
  /** A trail in this process's memory. */
  static readonly layerMemory: Layer.Layer<AuditTrail> = Layer.sync(AuditTrail, () => {
    const entries: Array<AuditEntry> = []
    return {
      add: (by, change) =>
        Effect.map(Clock.currentTimeMillis, (atMs) => {
          const added: AuditEntry = { entry: entries.length + 1, atMs, by, ...change }
          entries.push(added)
          return added
        }),
      // Memory is lost as one.
      asOne: (change) => change,
      after: (entry, amount) => Effect.sync(() => entries.slice(entry, entry + amount)),
      latest: ({ amount, beforeEntry = entries.length + 1 }) =>
        Effect.sync(() =>
          entries
            .slice(0, beforeEntry - 1)
            .slice(-amount)
            .reverse()
        )
    }
  })
}
