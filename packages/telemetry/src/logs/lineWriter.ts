/** Writes lines to standard error, many at once: a write for each would cost more than making the line. */
import { writeSync } from "node:fs"

/** Characters that are written without waiting for the end of the turn. */
const maxChars = 65_536

const standardError = 2

/** How long a line about one of many may wait for others. */
const gatherMs = 20

let waiting = ""
let isScheduled = false
let gathering: ReturnType<typeof setTimeout> | undefined

const flush = (): void => {
  isScheduled = false
  clearTimeout(gathering)
  gathering = undefined
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

/** Whether the line waits; if there is much, all of it is written now. */
const add = (line: string): boolean => {
  if (!isWatched) process.once("exit", flushAtEnd)
  isWatched = true
  waiting += `${line}\n`
  if (waiting.length <= maxChars) return true
  flush()
  return false
}

/** Writes a line with what waits, after this turn of the event loop, and at the latest when the process ends. */
export const writeLine = (line: string): void => {
  if (!add(line) || isScheduled) return
  isScheduled = true
  setImmediate(flush)
}

/** Writes a line of which there are thousands a second: in order with the others, up to 20 ms later. */
export const writeLineLater = (line: string): void => {
  if (!add(line) || isScheduled || gathering !== undefined) return
  gathering = setTimeout(flush, gatherMs)
}
