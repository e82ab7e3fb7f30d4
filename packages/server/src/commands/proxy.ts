/** `sibyl proxy`: data proxies. */
import { Args, Command, Options } from "@effect/cli"
import { onStores } from "./onStores.ts"
import { databaseOptions } from "./settingOptions.ts"

const key = Args.text({ name: "public-key" }).pipe(Args.withDescription("the proxy's public key, in hex"))

const load = () => import("../admin/proxies.ts")

const add = Command.make(
  "add",
  {
    key,
    name: Options.text("name").pipe(Options.withDescription("its name for people")),
    fee: Options.text("fee").pipe(Options.withDescription("credits for each answer with a status of 200 to 299")),
    inactive: Options.boolean("inactive").pipe(Options.withDescription("keep its settings, but do not let it be used")),
    ...databaseOptions
  },
  ({ key: publicKey, ...options }) =>
    onStores(options, {
      load: () =>
        load().then(
          ({ addProxy }) =>
            () =>
              addProxy(publicKey, options)
        )
    })
).pipe(Command.withDescription("Register a data proxy, or change the one that has this key."))

const list = Command.make("list", databaseOptions, (options) =>
  onStores(options, {
    load: () =>
      load().then(
        ({ listProxies }) =>
          () =>
            listProxies
      )
  })
).pipe(Command.withDescription("List the data proxies."))

const remove = Command.make("remove", { key, ...databaseOptions }, ({ key: publicKey, ...options }) =>
  onStores(options, {
    load: () =>
      load().then(
        ({ removeProxy }) =>
          () =>
            removeProxy(publicKey)
      )
  })
).pipe(Command.withDescription("Forget a data proxy."))

/** Its subcommands. */
export const proxySubcommands = [add, list, remove] as const

/** The command. */
export const proxyCommand = Command.make("proxy").pipe(
  Command.withDescription("Add, list and remove data proxies."),
  Command.withSubcommands(proxySubcommands)
)
