/** The API key of `sibyl feed` and `sibyl feeds`. */
import { readFile } from "node:fs/promises"
import { Effect, Option, Redacted } from "effect"
import { FeedFailed } from "./feedSocket.ts"

/** A key, or the file that holds it. */
export interface FeedKey {
  readonly key: Option.Option<Redacted.Redacted>
  readonly keyFile: string
}

/** The key as given, or as it stands in its file. */
export const keyOf = ({ key, keyFile }: FeedKey): Effect.Effect<Redacted.Redacted, FeedFailed> =>
  Option.match(key, {
    onSome: Effect.succeed,
    onNone: () =>
      Effect.tryPromise({
        try: async () => Redacted.make((await readFile(keyFile, "utf8")).trim()),
        catch: () =>
          new FeedFailed({
            message: `there is no key in ${keyFile}; start \`sibyl serve --demo\` in this folder, or say --key or --key-file`
          })
      })
  })
