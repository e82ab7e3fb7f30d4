/**
 * The timestamps of results (decision D22): a server chooses them in its memory, and the transaction that charges a run decides whether its
 * timestamp stands.
 */

/** What a store keeps of a project's drId: no timestamp that was given out is later than `lastMs`. */
export interface StoredTime {
  readonly lastMs: number
  /** The server that has given out what lies above `floorMs`; `null` if the store itself has given out `lastMs`. */
  readonly owner: string | null
  /** What the owner has chosen at or below this time was given out by somebody else, or may have been. */
  readonly floorMs: number
}

/** The timestamp that a server has chosen for a result. A server never chooses the same twice for a project and drId. */
export interface ChosenTime {
  readonly drId: string
  /** Milliseconds since the Unix epoch. */
  readonly timestampMs: number
  /** The server, by an id of this life: after a restart it is another one. */
  readonly owner: string
}

/** A timestamp stands, or the store gives out another one instead: later than all before, and nobody else's. */
export interface TimeVerdict {
  readonly stands: boolean
  readonly stored: StoredTime
  readonly timestampMs: number
}

/**
 * Decides on a chosen timestamp. Those of one server may come in any order; one of another server must be later than all before it, which
 * are then this server's floor.
 */
export const judgeTime = (known: StoredTime | undefined, { owner, timestampMs }: Omit<ChosenTime, "drId">): TimeVerdict => {
  const lastMs = known?.lastMs ?? Number.NEGATIVE_INFINITY
  if (known !== undefined && known.owner === owner && timestampMs > known.floorMs) {
    return { stands: true, stored: { ...known, lastMs: Math.max(lastMs, timestampMs) }, timestampMs }
  }
  // Before the first timestamp nothing was given out.
  if (timestampMs > lastMs) return { stands: true, stored: { lastMs: timestampMs, owner, floorMs: known?.lastMs ?? 0 }, timestampMs }
  const nextMs = lastMs + 1
  return { stands: false, stored: { lastMs: nextMs, owner: null, floorMs: nextMs }, timestampMs: nextMs }
}
