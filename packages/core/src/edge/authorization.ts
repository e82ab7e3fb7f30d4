/** From the `Authorization` header to the project that pays. */
import { Effect, Redacted } from "effect"
import { Unauthorized } from "../contract/errors.ts"
import type { Principal } from "../domain/project.ts"
import { Directory } from "../ports/directory.ts"

const bearerForm = /^Bearer +(\S+) *$/i

/** Authenticates a header. A missing header, another scheme and an unknown key are all 401. */
export const authorize = (header: string | undefined): Effect.Effect<Principal, Unauthorized, Directory> =>
  Effect.gen(function*() {
    if (header === undefined) return yield* new Unauthorized({ message: "a key is needed: Authorization: Bearer <API_KEY>" })
    const key = bearerForm.exec(header)?.[1]
    if (key === undefined) return yield* new Unauthorized({ message: "the Authorization header must be: Bearer <API_KEY>" })
    const directory = yield* Directory
    return yield* directory.authenticate(Redacted.make(key))
  })
