/** How long a supervisor waits before it replaces a process that has ended: longer after each quick end in a row. */

const firstMs = 100
const longestMs = 30_000

/** A process that has lived for so long was not broken from the start. */
const soundMs = 60_000

/** The quick ends in a row, this end included. */
export const quickEnds = (before: number, livedMs: number): number => (livedMs >= soundMs ? 1 : before + 1)

/** The pause in milliseconds after so many quick ends in a row: it doubles from 100 ms to 30 s. */
export const restartPauseMs = (ends: number): number => Math.min(longestMs, firstMs * 2 ** Math.min(ends - 1, 30))
