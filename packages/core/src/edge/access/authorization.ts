/** From the `Authorization` header to the project that pays. */
import { type Clock, Context, Effect, Either, Layer, Redacted } from "effect"
import { Unauthorized } from "../../contract/errors.ts"
import { keyRefused } from "../../domain/accounts/authentication.ts"
import { type ResolvedPrincipal, resolveProject } from "../../domain/accounts/project.ts"
import { RecentMap } from "../../domain/encoding/recentMap.ts"
import { Directory } from "../../ports/directory.ts"
import { Freshness } from "../../ports/freshness.ts"
import { Options } from "../../services/serviceOptions.ts"
import { SettingsMemory } from "../../services/settingsMemory.ts"

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

/** Authenticates keys. The owner of a valid one is remembered while nothing that is configured changes. */
export class Authorization extends Context.Tag("@sibyl/core/Authorization")<
  Authorization,
  {
    /** Authenticates a header. */
    readonly authorize: (header: string | undefined) => Effect.Effect<ResolvedPrincipal, Unauthorized>
    /** The owner of the key in a header, if it is remembered; asks nobody. */
    readonly remembered: (header: string | undefined, clock: Clock.Clock) => ResolvedPrincipal | undefined
    /** Authenticates a key and resolves the limits of its project, which happens nowhere else. An unknown key is 401. */
    readonly authenticate: (key: Redacted.Redacted) => Effect.Effect<ResolvedPrincipal, Unauthorized>
  }
>() {
  /** Over the directory. */
  static readonly layer: Layer.Layer<Authorization, never, Directory | Freshness | Options> = Layer.effect(
    Authorization,
    Effect.gen(function* () {
      const directory = yield* Directory
      const { limits } = yield* Options
      const memory = new SettingsMemory<Known>(yield* Freshness, new RecentMap(knownKeys))

      const asked = (text: string, clock: Clock.Clock): Effect.Effect<Known, Unauthorized> => {
        const sinceNanos = clock.unsafeCurrentTimeNanos()
        return Effect.map(directory.authenticate(Redacted.make(text)), (principal) => ({
          principal: { ...principal, project: resolveProject(principal.project, limits) },
          sinceNanos
        }))
      }

      const remembered = (text: string, clock: Clock.Clock): ResolvedPrincipal | undefined => {
        const known = memory.find(text)
        return known === undefined || isLapsed(known, clock) || isOld(known, clock) ? undefined : known.principal
      }

      const ownerOf = (text: string): Effect.Effect<ResolvedPrincipal, Unauthorized> =>
        Effect.clockWith((clock) => {
          const known = memory.find(text)
          if (known !== undefined && isLapsed(known, clock)) return Effect.fail(keyRefused())
          if (known !== undefined && !isOld(known, clock)) return Effect.succeed(known.principal)
          memory.forget(text)
          return Effect.map(
            memory.around(text, () => asked(text, clock)),
            ({ principal }) => principal
          )
        })

      return {
        authenticate: (key) => ownerOf(Redacted.value(key)),
        remembered: (header, clock) => {
          const text = keyTextIn(header)
          return Either.isRight(text) ? remembered(text.right, clock) : undefined
        },
        authorize: (header) => Either.match(keyTextIn(header), { onLeft: Effect.fail, onRight: ownerOf })
      }
    })
  )
}
