/** Lines are given on as they are, or without the secrets in them. */
import fc from "fast-check"
import { expect, it } from "vitest"
import { cleanLines } from "./cleanLines.ts"
import type { LineFields, LineHead } from "./jsonLine.ts"

const secret = "sesame-3f9a"
const mask = (text: string): string => text.replaceAll(secret, "<secret>")

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.string({ maxLength: 20 }),
  fc.constantFrom(secret, `"${secret}"`, "/execute", '"', "\\", "\u001b[2J", "\u202e")
)
const fields = fc.dictionary(text, fc.oneof(text, fc.integer()), { maxKeys: 6, noNullPrototype: true })

it("for any texts, and says whether each of them can stand in quotes as it is", () => {
  fc.assert(
    fc.property(text, fields, (message, given) => {
      const taken: Array<{ readonly head: LineHead; readonly fields: LineFields }> = []
      const clean = cleanLines(mask, (head, _part, cleaned) => void taken.push({ head, fields: cleaned }))
      clean({ atMs: 7, level: "info", message, span: undefined }, "runs", given)
      const [line] = taken
      expect(line?.head.message).toBe(mask(message))
      expect(line?.fields).toEqual(
        Object.fromEntries(Object.entries(given).map(([name, value]) => [mask(name), typeof value === "string" ? mask(value) : value]))
      )
      const texts = [message, ...Object.entries(given).flat()].filter((one) => typeof one === "string")
      const isPlain = texts.every((one) => JSON.stringify(one) === `"${one}"` && /^[\u0020-\u007e]*$/.test(one))
      expect(line?.head.isPlain).toBe(isPlain)
    })
  )
})
