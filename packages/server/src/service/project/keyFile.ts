/** The file in which an embedding server keeps its key, also when several of its processes start at once. */
import { mkdir, rm, stat, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { Data, Effect } from "effect"
import { readSettingWithin } from "../../output/readWithin.ts"

/** The key file is invalid. */
export class KeyFileInvalid extends Data.TaggedError("KeyFileInvalid")<{
  readonly keyFile: string
  readonly message: string
}> {}

/** The failure of a key file: `why` goes on after its name. */
export const keyFileInvalid = (keyFile: string, why: string): KeyFileInvalid =>
  new KeyFileInvalid({ keyFile, message: `the key file ${keyFile} ${why}` })

const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause
    ? String(cause.code)
    : cause instanceof Error
      ? cause.message
      : String(cause)

/** An attempt, with the code of the system's error, or else its message, as its failure. */
const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, string> => Effect.tryPromise({ try: work, catch: codeOf })

const readOnce = (keyFile: string): Effect.Effect<string | undefined, KeyFileInvalid> =>
  attempt(async () => {
    // A pipe's writer would be waited for, and a device has no end.
    if (!(await stat(keyFile)).isFile()) throw new Error("it is no regular file")
    return readSettingWithin(keyFile)
  }).pipe(
    Effect.map((text) => text.trim()),
    Effect.catchAll((code) => (code === "ENOENT" ? Effect.succeed(undefined) : keyFileInvalid(keyFile, `cannot be read (${code})`)))
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
  }).pipe(Effect.catchAll((code) => (code === "EEXIST" ? Effect.succeed(false) : keyFileInvalid(keyFile, `cannot be written (${code})`))))

const write = (keyFile: string, key: string): Effect.Effect<void, KeyFileInvalid> =>
  Effect.mapError(
    attempt(() => writeFile(keyFile, `${key}\n`)),
    (code) => keyFileInvalid(keyFile, `cannot be written (${code})`)
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
