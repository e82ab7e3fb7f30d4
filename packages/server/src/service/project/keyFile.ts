/** The file in which an embedding server keeps its key, also when several of its processes start at once. */
import { mkdir, rm, stat, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { Data, Effect } from "effect"
import { codeOf, fileReason, isNoFile } from "../../output/fileReason.ts"
import { readSettingWithin } from "../../output/readWithin.ts"

/** The key file is invalid. */
export class KeyFileInvalid extends Data.TaggedError("KeyFileInvalid")<{
  readonly keyFile: string
  readonly message: string
}> {}

/** The failure of a key file: `why` goes on after its name. */
export const keyFileInvalid = (keyFile: string, why: string): KeyFileInvalid =>
  new KeyFileInvalid({ keyFile, message: `the key file ${keyFile} ${why}` })

/** What the system has thrown. */
class Thrown extends Data.TaggedError("Thrown")<{ readonly cause: unknown }> {}

const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, Thrown> =>
  Effect.tryPromise({ try: work, catch: (cause) => new Thrown({ cause }) })

const notWritten = (keyFile: string, { cause }: Thrown): KeyFileInvalid =>
  keyFileInvalid(keyFile, `cannot be written: ${fileReason(cause)}`)

/** The text of a regular file: a pipe's writer would be waited for, and a device has no end. `undefined` if there is none. */
const readOnce = (keyFile: string): Effect.Effect<string | undefined, KeyFileInvalid> =>
  attempt(() => stat(keyFile)).pipe(
    Effect.filterOrFail(
      (found) => found.isFile(),
      () => keyFileInvalid(keyFile, "is no regular file")
    ),
    Effect.zipRight(attempt(() => readSettingWithin(keyFile))),
    Effect.map((text) => text.trim()),
    Effect.catchTag("Thrown", ({ cause }) =>
      isNoFile(cause) ? Effect.succeed(undefined) : keyFileInvalid(keyFile, `cannot be read: ${fileReason(cause)}`)
    )
  )

const looksAtEmpty = 100
const betweenLooksMs = 100

/** The key; `undefined` if there is no file. An empty file is another process's, which is making its key. */
const readKey = (keyFile: string): Effect.Effect<string | undefined, KeyFileInvalid> =>
  Effect.gen(function* () {
    for (let look = 0; look < looksAtEmpty; look += 1) {
      const text = yield* readOnce(keyFile)
      if (text !== "") return text
      yield* Effect.sleep(betweenLooksMs)
    }
    return yield* keyFileInvalid(
      keyFile,
      "is empty: the process that made it has ended before it had a key. Remove the file, and a key is made"
    )
  })

/** Makes the file, empty; false if it exists: it might be the only copy of another key. */
const claim = (keyFile: string): Effect.Effect<boolean, KeyFileInvalid> =>
  attempt(async () => {
    await mkdir(dirname(keyFile), { recursive: true })
    await writeFile(keyFile, "", { mode: 0o600, flag: "wx" })
    return true
  }).pipe(Effect.catchTag("Thrown", (thrown) => (codeOf(thrown.cause) === "EEXIST" ? Effect.succeed(false) : notWritten(keyFile, thrown))))

const write = (keyFile: string, key: string): Effect.Effect<void, KeyFileInvalid> =>
  Effect.mapError(
    attempt(() => writeFile(keyFile, `${key}\n`)),
    (thrown) => notWritten(keyFile, thrown)
  )

/** What was made with a key, or else the key that was there. */
export type KeyInFile<A extends { readonly key: string }> = { readonly made: A } | { readonly kept: string }

/**
 * The key in the file. Without one, `make` makes it, in one of all processes that ask, and the others wait for it. If that fails, there is
 * no file.
 */
export const keyInFile = <A extends { readonly key: string }, E, R>(
  keyFile: string,
  make: Effect.Effect<A, E, R>
): Effect.Effect<KeyInFile<A>, E | KeyFileInvalid, R> =>
  Effect.gen(function* () {
    const kept = yield* readKey(keyFile)
    if (kept !== undefined) return { kept }
    if (!(yield* claim(keyFile))) return yield* keyInFile(keyFile, make)
    const making = Effect.tap(make, ({ key }) => write(keyFile, key))
    return { made: yield* Effect.onError(making, () => Effect.ignore(attempt(() => rm(keyFile)))) }
  })
