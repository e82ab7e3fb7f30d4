/** What a ticket is asked to be, read from what was sent as the specification says (decision D52). */
import type { RestCall } from "../history/history.ts"
import { bodyPlace } from "./askedRun.ts"

/** What a ticket may be used for. */
export const ticketScopes = ["execute", "feeds", "read"] as const

/** One of them. */
export type TicketScope = (typeof ticketScopes)[number]

/** What a ticket allows. Ids of programs are in lowercase without `0x`; `undefined`: every one. */
export interface TicketTerms {
  readonly expiresInMs: number
  readonly maxUses: number
  readonly allow: ReadonlyArray<TicketScope>
  readonly programs: ReadonlyArray<string> | undefined
  readonly origins: ReadonlyArray<string> | undefined
  readonly maxCredits: bigint | undefined
}

/** A ticket that is asked for, or what has to be refused. */
export type AskedTicket =
  | { readonly kind: "ticket"; readonly terms: TicketTerms }
  | { readonly kind: "refused"; readonly tags: ReadonlyArray<string>; readonly why: string }

const isNumberIn =
  (least: number, most: number) =>
  (value: unknown): boolean =>
    typeof value === "number" && Number.isInteger(value) && value >= least && value <= most

const isListOf =
  (fits: (text: string) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.length > 0 && value.length <= 100 && value.every((item) => typeof item === "string" && fits(item))

const isScope = (text: string): text is TicketScope => ticketScopes.some((scope) => scope === text)

/** Which values fit each member; an absent one and `null` always do. Texts that are no ids may be names of programs. */
const fits: Readonly<Record<string, (value: unknown) => boolean>> = {
  expiresInMs: isNumberIn(1_000, 3_600_000),
  maxUses: isNumberIn(1, 1_000),
  allow: isListOf(isScope),
  programs: isListOf(() => true),
  origins: isListOf((text) => /^https?:\/\/[^/]+$/.test(text)),
  maxCredits: (value) => typeof value === "string" && /^[1-9][0-9]{0,29}$/.test(value)
}

const textsIn = (value: unknown): ReadonlyArray<string> | undefined =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : undefined

/** Reads the body of `POST /tickets`. */
export const askedTicketOf = ({ body, headers }: RestCall): AskedTicket => {
  const place = bodyPlace(body, headers["content-type"])
  if ("kind" in place) return place.kind === "refused" ? place : { kind: "refused", tags: ["InvalidRequest"], why: "the body" }
  const given = (name: string): unknown => place.get(name) ?? undefined
  const wrong = Object.entries(fits).find(([name, isFit]) => given(name) !== undefined && !isFit(given(name)))
  if (wrong !== undefined) return { kind: "refused", tags: ["InvalidParameter"], why: wrong[0] }
  const credits = given("maxCredits")
  return {
    kind: "ticket",
    terms: {
      expiresInMs: Number(given("expiresInMs") ?? 60_000),
      maxUses: Number(given("maxUses") ?? 1),
      allow: textsIn(given("allow"))?.filter(isScope) ?? ticketScopes,
      programs: textsIn(given("programs"))?.map((id) => (/^(0x)?[0-9a-f]{64}$/i.test(id) ? id.slice(-64).toLowerCase() : id)),
      origins: textsIn(given("origins")),
      maxCredits: typeof credits === "string" ? BigInt(credits) : undefined
    }
  }
}
