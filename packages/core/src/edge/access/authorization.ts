/** From the `Authorization` header to the project that pays. */
import { Effect, Redacted } from "effect"
import { Unauthorized } from "../../contract/errors.ts"
import { type ResolvedPrincipal, resolveProject } from "../../domain/accounts/project.ts"
import { Directory } from "../../ports/directory.ts"
import { Options } from "../../services/serviceOptions.ts"

const bearerForm = /^Bearer +(\S+) *$/i

/** The key in a header. A missing header or another scheme is 401. */
export const bearerKey = (header: string | undefined): Effect.Effect<Redacted.Redacted, Unauthorized> => {
  if (header === undefined) return new Unauthorized({ message: "a key is needed: Authorization: Bearer <API_KEY>" })
  const key = bearerForm.exec(header)?.[1]
  return key === undefined
    ? new Unauthorized({ message: "the Authorization header must be: Bearer <API_KEY>" })
    : Effect.succeed(Redacted.make(key))
}

/** Authenticates a key and resolves the limits of its project, which happens nowhere else. An unknown key is 401. */
export const authenticate = (key: Redacted.Redacted): Effect.Effect<ResolvedPrincipal, Unauthorized, Directory | Options> =>
  Effect.flatMap(Effect.all([Directory, Options]), ([directory, { limits }]) =>
    Effect.map(directory.authenticate(key), (principal) => ({ ...principal, project: resolveProject(principal.project, limits) }))
  )

/** Authenticates a header. */
export const authorize = (header: string | undefined): Effect.Effect<ResolvedPrincipal, Unauthorized, Directory | Options> =>
  Effect.flatMap(bearerKey(header), authenticate)
