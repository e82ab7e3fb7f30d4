/** Traffic of tickets: they are asked for, presented once and more often, late, by other pages, and after the end of their key. */
import { TicketBody } from "@sibyl/core"
import fc from "fast-check"
import { askCommand, json, postingJson } from "./askCommands.ts"
import { type Abilities, type Ask, type Command, newest, type Present } from "./command.ts"
import type { Parameters } from "./executeParameters.ts"
import { socketCommand } from "./socketCommands.ts"
import { membersOf, type Wire } from "./wireValues.ts"

/** Pages of other origins than the service's. */
const pages = ["https://app.example", "https://other.example"] as const

/** What is asked of a ticket by its members; a member without values here is not known to traffic, which a test would find. */
const wishes: Readonly<Record<string, fc.Arbitrary<Wire>>> = {
  expiresInMs: fc.constantFrom(1_000, 1_000, 5_000, 60_000),
  maxUses: fc.constantFrom(1, 2, 3),
  allow: fc.constantFrom<Wire>(["execute", "read"], ["feeds"], ["read"]),
  programs: fc.constantFrom<Wire>(["«program failing»"], ["«0xprogram failing»", "«program failingInTally»"], ["«0xprogram echo»"]),
  origins: fc.constantFrom<Wire>([pages[0]], [...pages]),
  maxCredits: fc.constantFrom("350", "400")
}

const wish = (name: string): fc.Arbitrary<Parameters> => (wishes[name] ?? fc.constant<Wire>(null)).map((value) => ({ [name]: value }))

/** How rarely each member is given: once in so many. */
const rarity: Readonly<Record<string, number>> = { expiresInMs: 3, maxUses: 2, allow: 6, programs: 6, origins: 6, maxCredits: 6 }

const valid: fc.Arbitrary<Parameters> = fc
  .tuple(
    ...membersOf(TicketBody.ast).map(({ name }): fc.Arbitrary<Parameters> => {
      const key = String(name)
      const absent = { weight: (rarity[key] ?? 2) - 1, arbitrary: fc.constant<Parameters>({}) }
      return fc.oneof({ withCrossShrink: true }, absent, { weight: 1, arbitrary: wish(key) })
    })
  )
  .map((parts): Parameters => Object.assign({}, ...parts) as Parameters)

const broken = fc.constantFrom<Parameters>(
  { expiresInMs: 999 },
  { expiresInMs: "1000" },
  { maxUses: 0 },
  { maxUses: 1_001 },
  { allow: [] },
  { allow: ["write"] },
  { programs: [] },
  { programs: ["0".repeat(64)] },
  { origins: ["app.example"] },
  { maxCredits: "0" },
  { maxCredits: 400 }
)

const asksForTicket = (abilities: Abilities): fc.Arbitrary<Ask> =>
  postingJson(abilities, "/tickets", fc.oneof({ weight: 12, arbitrary: valid }, { weight: 1, arbitrary: broken }))

/** Mostly one that was told; sometimes none, or one that is nearly right. */
const tickets = fc.oneof(
  { weight: 16, arbitrary: fc.nat(2).map((nth) => `«ticket ${nth}»`) },
  { weight: 1, arbitrary: fc.constantFrom("no-ticket", "«ticket 0»0") }
)

const presents: fc.Arbitrary<Present> = fc
  .tuple(
    tickets,
    fc.oneof({ withCrossShrink: true }, { weight: 4, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.constantFrom(2, 3) }),
    fc.oneof(
      { withCrossShrink: true },
      { weight: 6, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.constantFrom(...pages) }
    )
  )
  .map(([ticket, times, origin]) => ({ kind: "present", ticket, times, origin }))

/** Around a short time for which a ticket may be presented. */
const passing = ({ clock }: Abilities): fc.Arbitrary<Command> =>
  (clock ? fc.constantFrom(20, 900, 1_100) : fc.constantFrom(60, 1_100)).map((ms) => ({ kind: "pass", ms }))

/** A ticket that is presented as it should be. */
const plainPresent = (nth = 0, origin?: string): Present => ({ kind: "present", ticket: `«ticket ${nth}»`, times: 1, origin })

const asksFor = (tenant: number, wish: Parameters): Ask => {
  const body = JSON.stringify(wish)
  return { kind: "ask", who: { tenant, key: 0 }, method: "POST", path: "/tickets", query: [], headers: json, body, waits: true }
}

type Story = (names: ReadonlyArray<string>, abilities: Abilities) => fc.Arbitrary<ReadonlyArray<Command>>

const tenantsOf = ({ tenants }: Abilities): fc.Arbitrary<number> => fc.nat(tenants - 1)

/** Its key ends, between its uses or before them. */
const isRevoked: Story = (_names, abilities) =>
  fc
    .tuple(tenantsOf(abilities), fc.boolean(), fc.constantFrom<Command>(plainPresent(), { kind: "pass", ms: 1_100 }))
    .map(([tenant, isUsed, after]): ReadonlyArray<Command> => {
      const before = isUsed ? [plainPresent()] : []
      return [asksFor(tenant, { maxUses: 5 }), ...before, { kind: "revoke", tenant, key: 0 }, after]
    })

/** A request of the connection that it has opened. */
const ofNewest = (method: string, params: Parameters): Command => ({
  kind: "request",
  socket: newest,
  method,
  params: JSON.stringify(params),
  waits: true
})

const feedStart = ofNewest("feed.start", { execute: { execProgramId: "«program echo»" }, mode: "FIXED", periodicityMs: 100 })

const runs: fc.Arbitrary<Command> = fc
  .constantFrom("«program echo»", "«program failing»")
  .chain((execProgramId) => fc.constantFrom(ofNewest("feed.execute", { execProgramId, execInputs: "a" }), feedStart))

/** Runs use up its budget. */
const isSpent: Story = (_names, abilities) =>
  fc
    .tuple(tenantsOf(abilities), wish("maxCredits"), fc.array(runs, { maxLength: 2, size: "max" }))
    .map(([tenant, budget, commands]) => [asksFor(tenant, budget), plainPresent(), ...commands, feedStart, { kind: "pass", ms: 1_000 }])

/** Requests that it allows, and others. */
const isNarrowIn =
  (member: "allow" | "programs"): Story =>
  (_names, abilities) =>
    fc
      .tuple(tenantsOf(abilities), wish(member), fc.array(runs, { minLength: 1, maxLength: 3, size: "max" }))
      .map(([tenant, narrow, commands]) => [asksFor(tenant, narrow), plainPresent(), ...commands])

/** Pages that it names, and others. */
const isOfPages: Story = (_names, abilities) =>
  fc
    .tuple(tenantsOf(abilities), wish("origins"), fc.array(fc.constantFrom(undefined, ...pages), { minLength: 2, maxLength: 3 }))
    .map(([tenant, named, origins]) => [asksFor(tenant, named), ...origins.map((origin) => plainPresent(0, origin))])

/** Two tenants have tickets at the same time. */
const isOfTwo: Story = (_names, { tenants }) =>
  fc.nat(1).map((tenant) => [asksFor(tenant % tenants, {}), asksFor((tenant + 1) % tenants, {}), plainPresent(1), plainPresent(0)])

/** It is used more often than it may be, or nearly. */
const isUsed: Story = (_names, abilities) =>
  fc
    .tuple(tenantsOf(abilities), fc.constantFrom(1, 2), fc.array(presents, { minLength: 2, maxLength: 3 }))
    .map(([tenant, maxUses, attempts]) => [
      asksFor(tenant, { maxUses }),
      ...attempts.map((attempt) => ({ ...attempt, ticket: "«ticket 0»" }))
    ])

/** It is presented in time and late. */
const isLate: Story = (_names, abilities) =>
  fc
    .tuple(tenantsOf(abilities), fc.array(passing(abilities), { minLength: 1, maxLength: 2 }))
    .map(([tenant, passed]) => [asksFor(tenant, { expiresInMs: 1_000 }), ...passed, plainPresent()])

/** It is presented in time or late, of the time that tickets have without a wish: by itself, because a feed beside it would run thousands of times. */
const isLateByDefault = (abilities: Abilities): fc.Arbitrary<ReadonlyArray<Command>> =>
  fc
    .tuple(tenantsOf(abilities), fc.constantFrom(59_000, 61_000))
    .map(([tenant, ms]): ReadonlyArray<Command> => [asksFor(tenant, {}), { kind: "pass", ms }, plainPresent()])

const stories = ({ revoke }: Abilities): ReadonlyArray<Story> => [
  ...(revoke ? [isRevoked] : []),
  isSpent,
  isNarrowIn("allow"),
  isNarrowIn("programs"),
  isOfPages,
  isOfTwo,
  isUsed,
  isLate
]

/** Stories of tickets one after the other, with other commands between them. `others`: those that belong to any traffic. */
export const ticketTraffic = (
  names: ReadonlyArray<string>,
  abilities: Abilities,
  others: ReadonlyArray<fc.WeightedArbitrary<Command>>
): fc.Arbitrary<ReadonlyArray<Command>> => {
  const single = fc.oneof<Array<fc.WeightedArbitrary<Command>>>(
    { weight: 6, arbitrary: asksForTicket(abilities) },
    { weight: 8, arbitrary: presents },
    { weight: 2, arbitrary: passing(abilities) },
    { weight: 4, arbitrary: socketCommand(names, abilities) },
    { weight: 1, arbitrary: askCommand(names, abilities) },
    ...others
  )
  const parts = fc.oneof(...stories(abilities).map((story) => ({ weight: 2, arbitrary: story(names, abilities) })), {
    weight: 12,
    arbitrary: single.map((command) => [command])
  })
  const mixed = fc.array(parts, { minLength: 1, maxLength: 10, size: "max" }).map((all) => all.flat())
  return abilities.clock ? fc.oneof({ weight: 15, arbitrary: mixed }, { weight: 1, arbitrary: isLateByDefault(abilities) }) : mixed
}
