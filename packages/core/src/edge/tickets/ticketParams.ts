/** The parameters of `POST /tickets`, checked. */
import { Either } from "effect"
import { InvalidParameter } from "../../contract/errors.ts"
import { plainReference, programReferenceForm, programReferenceRule } from "../../contract/programName.ts"
import { TicketBody } from "../../contract/tickets.ts"
import { type Json, JsonNumber } from "../../domain/encoding/losslessJson.ts"
import { isOrigin, originRule } from "../../domain/settings/origin.ts"
import { mostTicketNames, ticketLife, ticketUses, type TicketWish } from "../../domain/tickets/newTicket.ts"
import { type TicketScope, ticketScopes } from "../../domain/tickets/ticket.ts"
import type { ParameterPlace } from "../execution/executeParameters.ts"
import { longestEcho, misspelledIn } from "../execution/misspelled.ts"

type Checked<A> = Either.Either<A, InvalidParameter>

const refuse = (name: string, rule: string): Checked<never> => Either.left(InvalidParameter.because(name, rule))

const given = (body: ParameterPlace, name: string): Exclude<Json, null> | undefined => body.get(name) ?? undefined

const readNumber = (
  body: ParameterPlace,
  name: string,
  { least, most, usual }: { readonly least: number; readonly most: number; readonly usual: number }
): Checked<number> => {
  const value = given(body, name)
  if (value === undefined) return Either.right(usual)
  const number = value instanceof JsonNumber ? Number(value.digits) : Number.NaN
  const fits = Number.isInteger(number) && number >= least && number <= most
  return fits ? Either.right(number) : refuse(name, `must be a whole number from ${least} to ${most}`)
}

/** Different texts, each of which fits; `null` if nothing is given. */
const readTexts = (
  body: ParameterPlace,
  name: string,
  fits: (text: string) => boolean,
  rule: string
): Checked<ReadonlyArray<string> | null> => {
  const value = given(body, name)
  if (value === undefined) return Either.right(null)
  const texts = Array.isArray(value) ? value.filter((item) => typeof item === "string") : []
  const isList = Array.isArray(value) && value.length === texts.length && texts.length > 0 && texts.length <= mostTicketNames
  if (!isList) return refuse(name, `must be a list of 1 to ${mostTicketNames} texts`)
  return texts.every(fits) ? Either.right([...new Set(texts)]) : refuse(name, `each ${rule}`)
}

const isScope = (text: string): text is TicketScope => ticketScopes.some((scope) => scope === text)

const creditsRule = 'must be a decimal text of at most 30 digits, above 0, such as "250"'

const readCredits = (body: ParameterPlace): Checked<bigint | null> => {
  const value = given(body, "maxCredits")
  if (value === undefined) return Either.right(null)
  return typeof value === "string" && /^[1-9][0-9]{0,29}$/.test(value) ? Either.right(BigInt(value)) : refuse("maxCredits", creditsRule)
}

const names = Object.keys(TicketBody.fields)

/** Every name narrows the ticket: one that was ignored would leave it with more rights than were meant. */
const checkNames = (body: ParameterPlace): Checked<void> => {
  const misspelled = misspelledIn(body.keys(), names)
  if (misspelled !== undefined) return Either.left(misspelled)
  const unknown = [...body.keys()].find((name) => !names.includes(name))
  return unknown === undefined ? Either.void : refuse(unknown.slice(0, longestEcho), `is none of ${names.join(", ")}`)
}

/** Reads the body. `programs` are references as they are asked for: ids or names. */
export const readTicketWish = (body: ParameterPlace): Checked<TicketWish> =>
  Either.gen(function* () {
    yield* checkNames(body)
    const expiresInMs = yield* readNumber(body, "expiresInMs", ticketLife)
    const maxUses = yield* readNumber(body, "maxUses", ticketUses)
    const allow = yield* readTexts(body, "allow", isScope, `must be one of ${ticketScopes.join(", ")}`)
    const programs = yield* readTexts(body, "programs", (text) => programReferenceForm.test(text), programReferenceRule)
    const origins = yield* readTexts(body, "origins", isOrigin, originRule)
    const maxCredits = yield* readCredits(body)
    return {
      expiresInMs,
      maxUses,
      allow: allow === null ? ticketScopes : ticketScopes.filter((scope) => allow.includes(scope)),
      programs: programs?.map(plainReference) ?? null,
      origins,
      maxCredits
    }
  })
