/** The generator sends every parameter of the contract, valid and nearly valid ones. */
import { ExecuteBody, ExecuteQuery, FeedStartParams, LastResultQuery, ReportsQuery, TicketBody } from "@sibyl/core"
import { Either, Schema } from "effect"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Abilities, Command } from "./command.ts"
import { validParameters } from "./executeParameters.ts"
import { sequence } from "./sequence.ts"
import { membersOf } from "./wireValues.ts"

const everything: Abilities = {
  tenants: 2,
  revoke: true,
  issue: true,
  grant: true,
  crash: true,
  upstream: true,
  clock: true,
  tickets: true
}

const commands: ReadonlyArray<Command> = fc.sample(sequence(everything, 40), { numRuns: 300, seed: 1 }).flat()

const namesOf = (schema: Schema.Schema.AnyNoContext): ReadonlyArray<string> => membersOf(schema.ast).map(({ name }) => String(name))

const asks = commands.filter((command) => command.kind === "ask")
const starts = commands.flatMap((command) => (command.kind === "request" && command.method === "feed.start" ? [command.params] : []))

describe("every parameter of the contract is sent", () => {
  test.each([
    ["GET /execute", ExecuteQuery],
    ["GET /execute/last-result", LastResultQuery],
    ["GET /data-request-reports", ReportsQuery]
  ] as const)("%s", (name, schema) => {
    const sent = new Set(
      asks.filter(({ method, path }) => `${method} ${path}` === name).flatMap(({ query }) => query.map(([known]) => known))
    )
    expect(namesOf(schema).filter((known) => !sent.has(known))).toEqual([])
  })

  test("POST /execute", () => {
    const bodies = asks.filter(({ method, path }) => method === "POST" && path === "/execute").map(({ body = "" }) => body)
    expect(namesOf(ExecuteBody).filter((known) => !bodies.some((body) => body.includes(`"${known}"`)))).toEqual([])
  })

  test("POST /tickets", () => {
    const bodies = asks.filter(({ path }) => path === "/tickets").map(({ body = "" }) => body)
    expect(namesOf(TicketBody).filter((known) => !bodies.some((body) => body.includes(`"${known}"`)))).toEqual([])
  })

  test("feed.start, except share, whose feeds have audits of their own", () => {
    expect(namesOf(FeedStartParams).filter((known) => !starts.some((params) => params.includes(`"${known}"`)))).toEqual(["share"])
  })
})

test("what is called valid is what the contract's schemas accept", () => {
  const filled = (text: string): string =>
    text.replaceAll(/«(0x)?\w+ \w+»/g, (_, prefix: string | undefined) => `${prefix ?? ""}${"a1".repeat(32)}`)
  const decode = Schema.decodeUnknownEither(ExecuteBody)
  for (const parameters of fc.sample(validParameters(ExecuteBody, ["echo"], true), { numRuns: 500, seed: 2 })) {
    const decoded = decode(JSON.parse(filled(JSON.stringify(parameters))))
    expect(Either.isRight(decoded), JSON.stringify(parameters)).toBe(true)
  }
})

test("nearly valid ones are sent, too", () => {
  const sent = asks.map(({ body, query }) => `${JSON.stringify(query)} ${body}`).join("\n")
  for (const wrong of ["exec_inputs", '"yes"', "colour", '"0x6"']) expect(sent).toContain(wrong)
})

test("every text can be sent: none has half a character", () => {
  const many = fc.sample(sequence(everything, 40), { numRuns: 1_500, seed: 3 }).flat()
  const texts = many.flatMap((command) => (command.kind === "ask" ? command.query.flat() : []))
  expect(texts.length).toBeGreaterThan(10_000)
  for (const text of texts) expect(() => encodeURIComponent(text)).not.toThrow()
})
