/** From the `Authorization` header to the project that pays. */
import { type Clock, Context, Effect, Either, Layer, Redacted } from "effect"
import { type OutsideTicket, Unauthorized } from "../../contract/errors.ts"
import { keyRefused } from "../../domain/accounts/authentication.ts"
import { type Principal, type Project, type ResolvedPrincipal, resolveProject } from "../../domain/accounts/project.ts"
import { memoized } from "../../domain/encoding/memoized.ts"
import { RecentMap } from "../../domain/encoding/recentMap.ts"
import { grantOf, type TicketGrant } from "../../domain/tickets/ticket.ts"
import { looksLikeTicket } from "../../domain/tickets/ticketText.ts"
import { Directory } from "../../ports/directory.ts"
import { Freshness } from "../../ports/freshness.ts"
import { Network } from "../../ports/network.ts"
import { Tickets } from "../../ports/tickets/tickets.ts"
import { Options } from "../../services/settings/serviceOptions.ts"
import { SettingsMemory } from "../../services/settings/settingsMemory.ts"
import { openedTicket, type TicketUse } from "./ticketUse.ts"

const bearerForm = /^Bearer +(\S+) *$/i

/** The key in a header. A missing header or another scheme is 401. */
const keyTextIn = (header: string | undefined): Either.Either<string, Unauthorized> => {
  if (header === undefined) return Either.left(new Unauthorized({ message: "a key is needed: Authorization: Bearer <API_KEY>" }))
  const key = bearerForm.exec(header)?.[1]
  return key === undefined
    ? Either.left(new Unauthorized({ message: "the Authorization header must be: Bearer <API_KEY>" }))
    : Either.right(key)
}

/** The key in a header, to be kept. */
export const bearerKey = (header: string | undefined): Either.Either<Redacted.Redacted, Unauthorized> =>
  Either.map(keyTextIn(header), (text) => Redacted.make(text))

/** Keys whose owners are remembered. */
const knownKeys = 4_096

/** How long an owner is remembered at most. The directory notes when a key was used, so it is asked again and again. */
const rememberedNanos = 10_000_000_000n

interface Known {
  readonly principal: ResolvedPrincipal
  /** On the monotonic clock. */
  readonly sinceNanos: bigint
}

const isLapsed = ({ principal: { apiKeyExpiresAtMs } }: Known, clock: Clock.Clock): boolean =>
  apiKeyExpiresAtMs !== null && clock.unsafeCurrentTimeMillis() >= apiKeyExpiresAtMs

const isOld = ({ sinceNanos }: Known, clock: Clock.Clock): boolean => clock.unsafeCurrentTimeNanos() - sinceNanos >= rememberedNanos

/** What a ticket may open: nothing, if whoever asks does not say. */
const nothing: TicketUse = { scopes: [], origin: undefined }

/** Authenticates keys, and takes uses of tickets. The owner of a valid key is remembered while nothing that is configured changes. */
export class Authorization extends Context.Tag("@sibyl/core/Authorization")<
  Authorization,
  {
    /** The owner of the key in a header, if it is remembered; asks nobody. */
    readonly remembered: (header: string | undefined, clock: Clock.Clock) => ResolvedPrincipal | undefined
    /** Authenticates a header. A ticket in it is used once, for what is asked of it. */
    readonly authorize: (header: string | undefined, use?: TicketUse) => Effect.Effect<ResolvedPrincipal, Unauthorized | OutsideTicket>
    /** Uses a ticket once; its principal is that of its key, with what the ticket allows. */
    readonly useTicket: (ticket: string, use: TicketUse) => Effect.Effect<ResolvedPrincipal, Unauthorized | OutsideTicket>
    /** The principal of a ticket that was used, as long as its key is valid. */
    readonly ownerOfTicket: (apiKeyId: string, grant: TicketGrant) => Effect.Effect<ResolvedPrincipal, Unauthorized>
    /** Authenticates a key and resolves the limits of its project, which happens nowhere else. An unknown key is 401. */
    readonly authenticate: (key: Redacted.Redacted) => Effect.Effect<ResolvedPrincipal, Unauthorized>
  }
>() {
  /** Over the directory. */
  static readonly layer: Layer.Layer<Authorization, never, Directory | Freshness | Network | Options | Tickets> = Layer.effect(
    Authorization,
    Effect.gen(function* () {
      const directory = yield* Directory
      const tickets = yield* Tickets
      const network = yield* Network
      const { limits } = yield* Options
      const memory = new SettingsMemory<Known>(yield* Freshness, new RecentMap(knownKeys))

      /** What a run works out of its project is remembered by the object: stores that give the same again get the same here. */
      const resolved = memoized((project: Project) => resolveProject(project, limits))

      const asked = (ask: Effect.Effect<Principal, Unauthorized>, clock: Clock.Clock): Effect.Effect<Known, Unauthorized> => {
        const sinceNanos = clock.unsafeCurrentTimeNanos()
        return Effect.map(ask, (principal) => ({
          principal: { ...principal, project: resolved(principal.project) },
          sinceNanos
        }))
      }

      const stillKnown = (name: string, clock: Clock.Clock): ResolvedPrincipal | undefined => {
        const known = memory.find(name)
        return known === undefined || isLapsed(known, clock) || isOld(known, clock) ? undefined : known.principal
      }

      const remembered = (
        name: string,
        ask: () => Effect.Effect<Principal, Unauthorized>
      ): Effect.Effect<ResolvedPrincipal, Unauthorized> =>
        Effect.clockWith((clock) => {
          const known = memory.find(name)
          if (known !== undefined && isLapsed(known, clock)) return Effect.fail(keyRefused())
          if (known !== undefined && !isOld(known, clock)) return Effect.succeed(known.principal)
          memory.forget(name)
          return Effect.map(
            memory.around(name, () => asked(ask(), clock)),
            ({ principal }) => principal
          )
        })

      const ownerOf = (text: string) => remembered(text, () => directory.authenticate(Redacted.make(text)))

      // No text of a key has this form.
      const ownerOfTicket = (apiKeyId: string, ticket: TicketGrant) =>
        Effect.map(
          remembered(`# ${apiKeyId}`, () => directory.owner(apiKeyId)),
          (principal) => ({ ...principal, project: { ...principal.project, ticket } })
        )
      const useTicket = (text: string, use: TicketUse) =>
        Effect.flatMap(openedTicket(tickets, network.name, text, use), (record) => ownerOfTicket(record.apiKeyId, grantOf(record)))

      return {
        authenticate: (key) => ownerOf(Redacted.value(key)),
        remembered: (header, clock) => {
          const text = keyTextIn(header)
          return Either.isRight(text) ? stillKnown(text.right, clock) : undefined
        },
        authorize: (header, use = nothing) =>
          Either.match(keyTextIn(header), {
            onLeft: Effect.fail,
            onRight: (text): Effect.Effect<ResolvedPrincipal, Unauthorized | OutsideTicket> =>
              looksLikeTicket(text) ? useTicket(text, use) : ownerOf(text)
          }),
        useTicket,
        ownerOfTicket
      }
    })
  )
}
