/** The outbound HTTP as runs use it: what a port of an embedder's own answers becomes part of a result, so its form is checked first. */
import { type HttpFetch, RuntimeDefect } from "@sibyl/core"
import { type Context, Effect } from "effect"

type Fields = Readonly<Record<string, unknown>>

const isText = (value: unknown): boolean => typeof value === "string"

const isHeader = (value: unknown): boolean => Array.isArray(value) && value.length === 2 && value.every(isText)

const isStatus = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 100 && Number(value) <= 999

type Rule = readonly [field: string, isIt: (value: unknown) => boolean, rule: string]

const rulesOf: Readonly<Record<string, ReadonlyArray<Rule>>> = {
  answered: [
    ["status", isStatus, "must be a status of HTTP, a whole number from 100 to 999"],
    ["headers", (value) => Array.isArray(value) && value.every(isHeader), "must be an array of [name, value], both strings"],
    ["bytes", (value) => value instanceof Uint8Array, "must be a Uint8Array"],
    ["url", isText, "must be a string, the final address"],
    ["contentLength", (value) => Number.isSafeInteger(value) && Number(value) >= 0, "must be a whole number, 0 where none was declared"]
  ],
  rejected: [
    ["message", isText, "must be a string, for the program"],
    ["timedOut", (value) => typeof value === "boolean", "must be true or false"]
  ]
}

/** The rule that an answer of the port breaks; `undefined`: it has the form of one. */
const brokenResponse = (response: unknown): string | undefined => {
  if (typeof response !== "object" || response === null) return `must be an object, and is ${response === null ? "null" : typeof response}`
  const { kind } = response as Fields
  const rules = typeof kind === "string" && Object.hasOwn(rulesOf, kind) ? rulesOf[kind] : undefined
  if (rules === undefined) return `must have the kind "answered" or "rejected"`
  const broken = rules.find(([field, isIt]) => !isIt((response as Fields)[field]))
  return broken === undefined ? undefined : `${broken[0]} ${broken[2]}`
}

const defect = (text: string): Effect.Effect<never> => Effect.die(new RuntimeDefect(`the port HttpFetch: ${text}`))

/** The same port. An answer of another form is a {@link RuntimeDefect}: no program could be told it, and nothing is charged. */
export const checkedFetch = (http: Context.Tag.Service<HttpFetch>): Context.Tag.Service<HttpFetch> => ({
  fetch: (request) =>
    Effect.suspend(() => {
      const asked: unknown = http.fetch(request)
      if (!Effect.isEffect(asked)) return defect("fetch must give an Effect, such as Effect.promise makes of a Promise")
      return Effect.flatMap(asked as ReturnType<typeof http.fetch>, (response) => {
        const broken = brokenResponse(response)
        return broken === undefined ? Effect.succeed(response) : defect(`an answer ${broken}`)
      })
    })
})
