/** From the `Authorization` header to the project that pays. */
import { Effect, Redacted } from "effect"
import { Unauthorized } from "../../contract/errors.ts"
import type { Principal } from "../../domain/accounts/project.ts"
import { Directory } from "../../ports/directory.ts"

const bearerForm = /^Bearer +(\S+) *$/i

/** The key in a header. A missing header and another scheme are 401. */
export const bearerKey = (header: string | undefined): Effect.Effect<Redacted.Redacted, Unauthorized> => {
  if (header === undefined) return new Unauthorized({ message: "a key is needed: Authorization: Bearer <API_KEY>" })
  const key = bearerForm.exec(header)?.[1]
  return key === undefined
    ? new Unauthorized({ message: "the Authorization header must be: Bearer <API_KEY>" })
    : Effect.succeed(Redacted.make(key))
}

/** Authenticates a header. An unknown key is 401 too. */
export const authorize = (header: string | undefined): Effect.Effect<Principal, Unauthorized, Directory> =>
  Effect.flatMap(bearerKey(header), (key) => Effect.flatMap(Directory, (directory) => directory.authenticate(key)))
