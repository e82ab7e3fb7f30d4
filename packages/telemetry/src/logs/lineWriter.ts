/** Writes lines to standard error, those of one turn of the event loop together: under load, one write for many. */
import { writeSync } from "node:fs"

/** Characters that are written without waiting for the end of the turn. */
const maxChars = 65_536

const standardError = 2

let waiting = ""
let isScheduled = false

const flush = (): void => {
  isScheduled = false
  const text = waiting
  waiting = ""
  if (text !== "") process.stderr.write(text)
}

/** What is left when the process ends: nothing is written later. */
const flushAtEnd = (): void => {
  const text = waiting
  waiting = ""
  try {
    if (text !== "") writeSync(standardError, text)
  } catch {
    // Nobody reads it, or the reader is behind: the process ends all the same.
  }
}

let isWatched = false

/** Writes a line soon, in order, and at the latest when the process ends. */
export const writeLine = (line: string): void => {
  if (!isWatched) process.once("exit", flushAtEnd)
  isWatched = true
  waiting += `${line}\n`
  if (waiting.length > maxChars) return flush()
  if (isScheduled) return
  isScheduled = true
  setImmediate(flush)
}
