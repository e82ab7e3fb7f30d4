/** Lines that go past the loggers, without secrets: looked at once, however many take them. */
import { byName } from "./byName.ts"
import type { Mask } from "./cleanLog.ts"
import type { LineFields, WriteLine } from "./jsonLine.ts"
import { notPlain } from "./plainText.ts"

const masked = (fields: LineFields, mask: Mask): LineFields =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [mask(name), typeof value === "string" ? mask(value) : value]))

/**
 * Takes lines as they are, and gives them on without secrets; whoever `take`s one need not look for any. To look through a line and a record of it
 * took 15 µs a run, a third of what both cost. There is next to never something to take out.
 */
export const cleanLines = (mask: Mask, take: WriteLine): WriteLine => {
  const named = byName((name) => ({ isPlain: !notPlain.test(name), isClean: mask(name) === name }))
  return (head, part, fields) => {
    // Members by name: a copy by a spread takes several times as long.
    const { atMs, level, message, span } = head
    let texts = message
    let areNamesPlain = true
    let isClean = true
    for (const name of Object.keys(fields)) {
      const value = fields[name]
      // With a space: behind a letter of another text, a secret may not be found.
      if (typeof value === "string") texts += ` ${value}`
      const known = named(name)
      areNamesPlain &&= known.isPlain
      isClean &&= known.isClean
    }
    const isPlain = areNamesPlain && !notPlain.test(texts)
    if (isClean && mask(texts) === texts) take({ atMs, level, message, span, isPlain }, part, fields)
    else take({ atMs, level, message: mask(message), span, isPlain }, part, masked(fields, mask))
  }
}
