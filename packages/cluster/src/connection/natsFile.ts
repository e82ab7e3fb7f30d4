/** Files that options name: short, and there to stay, because the client reads those of TLS again with each connection. */
import { Effect } from "effect"
import { readFile, stat } from "node:fs/promises"
import { NatsMisconfigured } from "./natsErrors.ts"

/** More than any key, certificate or credentials. */
const mostMib = 16

const reasons: Readonly<Record<string, string>> = { ENOENT: "there is no such file", EACCES: "permission denied" }

const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : String(cause)

/** The bytes of the file that the option `field` names. A device or a pipe may have no end, or nothing when it is read again. */
export const readNatsFile = (field: string, path: string): Effect.Effect<Uint8Array, NatsMisconfigured> => {
  const unread = (why: string) => new NatsMisconfigured({ field, message: `${field} ${path} cannot be read: ${why}` })
  const attempt = <A>(work: () => Promise<A>) =>
    Effect.tryPromise({ try: work, catch: (cause) => unread(reasons[codeOf(cause)] ?? codeOf(cause)) })
  return Effect.gen(function* () {
    const found = yield* attempt(() => stat(path))
    if (!found.isFile()) return yield* unread("it is no regular file")
    if (found.size > mostMib * 2 ** 20) return yield* unread(`it is larger than ${mostMib} MiB`)
    return yield* attempt(() => readFile(path))
  })
}
