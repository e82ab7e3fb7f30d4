/** The API key of `sibyl feed` and `sibyl feeds`. */
import { Effect, Either, Option, Redacted } from "effect"
import { readSettingWithin } from "../output/readWithin.ts"
import { UsageError } from "../output/failure.ts"
import { isNoFile, notRead } from "../output/fileReason.ts"
import { type Environment, feedKeyFile } from "./feedPlace.ts"
import { FeedFailed } from "./feedSocket.ts"

/** A key, or the file that holds it. */
export interface FeedKey {
  readonly key: Option.Option<Redacted.Redacted>
  readonly keyFile: string
}

/** Whose key is used: what the command line says, else `SIBYL_KEY`, else the file of the demonstration. */
export const feedKey = (
  { key, keyFile }: { readonly key: Option.Option<Redacted.Redacted>; readonly keyFile: Option.Option<string> },
  environment: Environment
): Either.Either<FeedKey, UsageError> => {
  if (Option.isSome(key) && Option.isSome(keyFile)) {
    const message = "--key and --key-file are given both; say which key is meant"
    return Either.left(new UsageError({ field: "--key", rule: "given without --key-file", message }))
  }
  if (Option.contains(keyFile, ""))
    return Either.left(new UsageError({ field: "--key-file", rule: "given", message: "--key-file is empty" }))
  const variable = Option.isSome(keyFile) ? undefined : environment["SIBYL_KEY"]
  const ofVariable = variable === undefined || variable === "" ? Option.none() : Option.some(Redacted.make(variable))
  const ownOrVariable = Option.orElse(key, () => ofVariable)
  return Option.exists(ownOrVariable, (one) => Redacted.value(one) === "")
    ? Either.left(new UsageError({ field: "--key", rule: "given", message: "--key is empty" }))
    : Either.right({ key: ownOrVariable, keyFile: Option.getOrElse(keyFile, () => feedKeyFile(environment)) })
}

const noKey = (keyFile: string): FeedFailed =>
  new FeedFailed({ message: `there is no key in ${keyFile}; start \`sibyl serve --demo\` in this folder, or say --key or --key-file` })

/** The key as given, or as it stands in its file. */
export const keyOf = ({ key, keyFile }: FeedKey): Effect.Effect<Redacted.Redacted, FeedFailed> =>
  Option.match(key, {
    onSome: Effect.succeed,
    onNone: () =>
      Effect.tryPromise({
        try: async () => (await readSettingWithin(keyFile)).trim(),
        catch: (cause) => (isNoFile(cause) ? noKey(keyFile) : new FeedFailed({ message: notRead(keyFile, cause) }))
      }).pipe(Effect.flatMap((text) => (text === "" ? noKey(keyFile) : Effect.succeed(Redacted.make(text)))))
  })
