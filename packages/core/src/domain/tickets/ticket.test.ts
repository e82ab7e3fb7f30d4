/** The rules of tickets, for any ticket and any attempts: uses, scopes, origins, expiry, budget (decision D52). */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isOrigin } from "../settings/origin.ts"
import { judgeTicket, keptOn, reserveOf, type TicketRecord, ticketScopes } from "./ticket.ts"
import { hashTicket, looksLikeTicket, makeTicket, ticketEntropyBytes, ticketIdFor } from "./ticketText.ts"

const hash = "ab".repeat(32)
const scopes = fc.uniqueArray(fc.constantFrom(...ticketScopes), { minLength: 1 })
const origin = fc.constantFrom("https://app.example", "https://other.example")

const ticket: fc.Arbitrary<TicketRecord> = fc.record({
  ticketId: fc.constant("t"),
  projectId: fc.constant("p"),
  apiKeyId: fc.constant("k"),
  hash: fc.constant(hash),
  allow: scopes,
  programs: fc.constant(null),
  origins: fc.option(fc.uniqueArray(origin, { minLength: 1 })),
  expiresAtMs: fc.integer({ min: 0, max: 100 }),
  usesLeft: fc.integer({ min: 0, max: 5 }),
  creditsLeft: fc.option(fc.bigInt({ min: 0n, max: 100n })),
  keptUntilMs: fc.integer({ min: 0, max: 100 })
})

const attempt = fc.record({
  ticketId: fc.constant("t"),
  hash: fc.constantFrom(hash, hash, hash, "cd".repeat(32)),
  scopes,
  origin: fc.option(origin)
})

describe("a ticket", () => {
  it("opens what it allows, while it has uses and time, and nothing else", () => {
    fc.assert(
      fc.property(ticket, attempt, fc.integer({ min: 0, max: 100 }), (record, wanted, nowMs) => {
        const isGood = wanted.hash === hash && nowMs < record.expiresAtMs && record.usesLeft > 0
        const fits = wanted.scopes.some((scope) => record.allow.includes(scope))
        const isHere = record.origins === null || (wanted.origin !== null && record.origins.includes(wanted.origin))
        const verdict = judgeTicket(record, wanted, nowMs)
        expect(verdict.kind).toBe(isGood ? (fits && isHere ? "opened" : "outside") : "refused")
        if (verdict.kind === "opened") expect(verdict.record.usesLeft).toBe(record.usesLeft - 1)
      })
    )
  })

  it("is opened as often as it has uses", () => {
    fc.assert(
      fc.property(ticket, (record) => {
        const wanted = { ticketId: "t", hash, scopes: record.allow, origin: record.origins?.[0] ?? null }
        let left: TicketRecord = { ...record, expiresAtMs: 1 }
        let opened = 0
        for (let verdict = judgeTicket(left, wanted, 0); verdict.kind === "opened"; verdict = judgeTicket(left, wanted, 0)) {
          opened += 1
          left = verdict.record
        }
        expect(opened).toBe(record.usesLeft)
      })
    )
  })

  it("never spends more than its budget, however reservations and returns come", () => {
    const step = fc.record({ credits: fc.bigInt({ min: 0n, max: 60n }), costs: fc.bigInt({ min: 0n, max: 60n }) })
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 100n }), fc.array(step), (budget, steps) => {
        let left = budget
        let spent = 0n
        for (const { costs, credits } of steps) {
          const verdict = reserveOf(left, credits)
          expect(verdict.kind).toBe(credits <= left ? "reserved" : "refused")
          if (verdict.kind === "refused") continue
          const cost = costs < credits ? costs : credits
          spent += cost
          left = verdict.creditsLeft + credits - cost
        }
        expect([left >= 0n, left + spent]).toEqual([true, budget])
      })
    )
  })

  it("is kept for longer only if it has a budget, and never for a shorter time", () => {
    fc.assert(
      fc.property(ticket, fc.nat(), (record, nowMs) => {
        const { keptUntilMs } = keptOn(record, nowMs)
        if (record.creditsLeft === null) expect(keptUntilMs).toBe(record.keptUntilMs)
        else expect(keptUntilMs).toBeGreaterThanOrEqual(record.keptUntilMs)
      })
    )
  })
})

describe("the text of a ticket", () => {
  it("names its id to its own network, and one wrong character makes it none", () => {
    const entropy = fc.uint8Array({ minLength: ticketEntropyBytes, maxLength: ticketEntropyBytes })
    fc.assert(
      fc.property(entropy, fc.nat(55), (bytes, at) => {
        const made = makeTicket("testnet", bytes)
        expect([ticketIdFor("testnet", made.ticket), ticketIdFor("other", made.ticket)]).toEqual([made.ticketId, undefined])
        expect([looksLikeTicket(made.ticket), hashTicket(made.ticket)]).toEqual([true, made.hash])
        const place = made.ticket.length - 1 - at
        const other = made.ticket[place] === "0" ? "1" : "0"
        expect(ticketIdFor("testnet", made.ticket.slice(0, place) + other + made.ticket.slice(place + 1))).toBeUndefined()
      })
    )
  })
})

it("an origin is what a browser sends", () => {
  const good = ["https://app.example", "http://127.0.0.1:8717", "http://localhost:3000", "http://[::1]:80".replace(":80", ":8080")]
  const bad = ["null", "*", "https://app.example/", "https://App.example", "https://app.example:443", "app.example", "https://a:99999", ""]
  expect([good.map(isOrigin), bad.map(isOrigin)]).toEqual([good.map(() => true), bad.map(() => false)])
})
