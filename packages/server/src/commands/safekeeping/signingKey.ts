/** `sibyl signing-key`: the keys that sign results, and their rotation. */
import { Args, Command, Options } from "@effect/cli"
import { Option } from "effect"
import { onDatabase } from "./onDatabase.ts"
import { databaseOptions } from "../settingOptions.ts"

const load = () => import("../../admin/signingKeys.ts")

const key = Args.text({ name: "key" }).pipe(Args.withDescription("the public key, 66 hex characters"))

const show = Command.make("show", databaseOptions, (options) =>
  onDatabase(options, { load: () => load().then(({ showSigningKeys }) => showSigningKeys) })
).pipe(Command.withDescription("Show the signing keys and their times, without their secrets."))

const announce = Command.make("announce", databaseOptions, (options) =>
  onDatabase(options, { load: () => load().then(({ announceKey }) => announceKey) })
).pipe(Command.withDescription("Make the next key. GET /info lists it from now on; it signs nothing yet."))

const activate = Command.make(
  "activate",
  {
    in: Options.text("in").pipe(
      Options.withDescription("when it takes over: a span from now (default: 24h), at least 30s"),
      Options.withDefault("24h")
    ),
    overlap: Options.text("overlap").pipe(
      Options.withDescription("how long what the old key signed stays valid after that (default: 30d)"),
      Options.withDefault("30d")
    ),
    ...databaseOptions
  },
  ({ in: inText, overlap, ...options }) =>
    onDatabase(options, { load: () => load().then(({ activateKey }) => activateKey(inText, overlap)) })
).pipe(Command.withDescription("Let the announced key sign from a moment on, on every server at once."))

const retire = Command.make("retire", { key, ...databaseOptions }, ({ key: publicKey, ...options }) =>
  onDatabase(options, { load: () => load().then(({ retireKey }) => retireKey(publicKey)) })
).pipe(Command.withDescription("End a key that does not sign: an old one, or one that was announced."))

const file = Args.text({ name: "file" })

const exportSecret = Command.make(
  "export",
  {
    file: file.pipe(Args.withDescription("the new file; one that is there is not replaced")),
    key: Options.text("key").pipe(Options.withDescription("the public key (default: the one that signs now)"), Options.optional),
    ...databaseOptions
  },
  ({ file: path, key: publicKey, ...options }) =>
    onDatabase(options, { load: () => load().then(({ exportKey }) => exportKey(path, Option.getOrUndefined(publicKey))) })
).pipe(Command.withDescription("Write a key's secret into a file that only its owner can read."))

const importSecret = Command.make(
  "import",
  { file: file.pipe(Args.withDescription("a file of export")), ...databaseOptions },
  ({ file: path, ...options }) => onDatabase(options, { load: () => load().then(({ importKey }) => importKey(path)), makes: true })
).pipe(Command.withDescription("Put an exported secret into a restored or a new database."))

/** Its subcommands. */
export const signingKeySubcommands = [show, announce, activate, retire, exportSecret, importSecret] as const

/** The command. */
export const signingKeyCommand = Command.make("signing-key").pipe(
  Command.withDescription("Show the signing keys, rotate them, and keep their secrets."),
  Command.withSubcommands(signingKeySubcommands)
)
