/** How a phase is continued in another place: what it has spent so far, and who is told of its tape. */
import type { Tape } from "../tape/tape.ts"
import { type RunStorage, storageOnTape } from "./runStorage.ts"

/** What a phase has spent when its tape has a certain length, and what its tape does not say. Times are in ms. */
export interface PhaseSpending {
  readonly wallClockLeftMs: number
  readonly httpLeftMs: number
  readonly workerMs: number
  /** The gas of the last finished pass. */
  readonly gasUsed: bigint
  /** The changed keys of the program's storage that had a stored value, with that value. */
  readonly storedBefore: ReadonlyMap<string, string>
}

/** A phase that may be continued elsewhere, or comes from there. */
export interface Continuation {
  /** What the phase had spent when its tape was as it begins here; left out: nothing. */
  readonly spent?: PhaseSpending | undefined
  /** Called before each pass that follows an answer, with the tape that it begins with. */
  readonly onTape?: ((tape: Tape, spent: PhaseSpending) => void) | undefined
}

/** The changes of a run that begins with this tape. */
export const storageAt = (tape: Tape, spent: PhaseSpending | undefined): RunStorage => {
  const onTape = storageOnTape(tape)
  return spent === undefined ? onTape : { writes: onTape.writes, before: spent.storedBefore }
}
