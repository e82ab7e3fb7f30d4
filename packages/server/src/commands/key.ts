/** `sibyl key`: API keys. */
import { Args, Command, Options } from "@effect/cli"
import { onStores } from "./onStores.ts"
import { databaseOptions } from "./settingOptions.ts"

const project = Args.text({ name: "project" }).pipe(Args.withDescription("the project's id"))
const key = Args.text({ name: "key" }).pipe(
  Args.withDescription("the key's public id: 12 hex characters (of a whole key only these are used)")
)

const ofNewKey = {
  name: Options.text("name").pipe(Options.withDescription("what the key is for"), Options.optional),
  expires: Options.text("expires").pipe(
    Options.withDescription("when the key ends: a date, a time or a span from now (default: never)"),
    Options.optional
  )
}

const load = () => import("../admin/keys.ts")

const create = Command.make("create", { project, ...ofNewKey, ...databaseOptions }, ({ project: id, ...options }) =>
  onStores(options, {
    load: () =>
      load().then(
        ({ createKey }) =>
          () =>
            createKey(id, options)
      )
  })
).pipe(Command.withDescription("Hand out a key. It is shown once."))

const list = Command.make("list", { project, ...databaseOptions }, ({ project: id, ...options }) =>
  onStores(options, {
    load: () =>
      load().then(
        ({ listKeys }) =>
          () =>
            listKeys(id)
      )
  })
).pipe(Command.withDescription("List a project's keys, without their secrets."))

const rotate = Command.make(
  "rotate",
  {
    key,
    overlap: Options.text("overlap").pipe(
      Options.withDescription("how long both keys are valid (default: 24h); 0s ends the old one now"),
      Options.withDefault("24h")
    ),
    ...ofNewKey,
    ...databaseOptions
  },
  ({ key: id, overlap, ...options }) =>
    onStores(options, {
      load: () =>
        load().then(
          ({ rotateKey }) =>
            () =>
              rotateKey(id, overlap, options)
        )
    })
).pipe(Command.withDescription("Put a new key in the place of one."))

const revoke = Command.make("revoke", { key, ...databaseOptions }, ({ key: id, ...options }) =>
  onStores(options, {
    load: () =>
      load().then(
        ({ revokeKey }) =>
          () =>
            revokeKey(id)
      )
  })
).pipe(Command.withDescription("End a key now: it is answered 401, its connections are closed within a second."))

/** Its subcommands. */
export const keySubcommands = [create, list, rotate, revoke] as const

/** The command. */
export const keyCommand = Command.make("key").pipe(
  Command.withDescription("Create, list, rotate and revoke API keys."),
  Command.withSubcommands(keySubcommands)
)
