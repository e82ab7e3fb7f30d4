/** Lines on standard output, one after another while something goes on. */
import { Effect } from "effect"

/** Prints lines. */
export const printLines = (lines: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.sync(() => {
    for (const line of lines) process.stdout.write(`${line}\n`)
  })

/** Ends when the reader of our output has closed it, as `head` does. */
export const readerGone = Effect.async<void>((resume) => {
  const gone = (): void => resume(Effect.void)
  process.stdout.once("error", gone)
  return Effect.sync(() => process.stdout.off("error", gone))
})
