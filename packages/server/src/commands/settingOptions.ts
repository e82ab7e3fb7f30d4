/** The configuration options, the same for every command. */
import { Options } from "@effect/cli"
import { Option } from "effect"
import type { ConfigurationFlags } from "../config/loadConfiguration.ts"
import { environmentName } from "../config/environmentNames.ts"
import { clusterSettings } from "../config/clusterSettings.ts"
import { serverSettings } from "../config/serverSettings.ts"
import { InvalidConfiguration } from "../output/failure.ts"

const flagged = { ...serverSettings, ...clusterSettings }

const flaggedNames = [
  "host",
  "port",
  "prefix",
  "data",
  "database",
  "network",
  "chainId",
  "workers",
  "isolation",
  "edges",
  "profile",
  "logFormat",
  "metrics.access",
  "cluster.servers",
  "cluster.net",
  "cluster.zone"
] as const

type FlaggedName = (typeof flaggedNames)[number]

const flagOf = (name: FlaggedName): Options.Options<Option.Option<string>> => {
  const { flag, kind, meaning, otherwise } = flagged[name]
  const option = Options.text(flag ?? name)
  // Names a choice's words, which help and completion read from the option.
  return (kind.words === undefined ? option : Options.withPseudoName(option, kind.words.join(" | "))).pipe(
    Options.withDescription(`${meaning} (default: ${otherwise}; environment: ${environmentName(name)})`),
    Options.optional
  )
}

/** The configuration file, and any setting by its name. */
export const anySetting = {
  config: Options.text("config").pipe(
    Options.withPseudoName("FILE"),
    Options.withDescription("the configuration file (default: sibyl.json in this folder, when it is there; environment: SIBYL_CONFIG)"),
    Options.optional
  ),
  set: Options.text("set").pipe(
    Options.withPseudoName("NAME=VALUE"),
    Options.withDescription("any setting; may be repeated. sibyl config lists them, docs/OPERATING.md explains them"),
    Options.repeated
  )
}

/** Whether the answer is for a script. */
export const jsonOption = Options.boolean("json").pipe(Options.withDescription("print one JSON document"))

/** For commands that work on the database. */
export const databaseOptions = {
  ...anySetting,
  data: flagOf("data"),
  database: flagOf("database"),
  network: flagOf("network"),
  json: jsonOption
}

/** For commands that concern a whole server. */
export const serverOptions = {
  ...anySetting,
  host: flagOf("host"),
  port: flagOf("port"),
  prefix: flagOf("prefix"),
  data: flagOf("data"),
  database: flagOf("database"),
  network: flagOf("network"),
  chainId: flagOf("chainId"),
  workers: flagOf("workers"),
  isolation: flagOf("isolation"),
  edges: flagOf("edges"),
  profile: flagOf("profile"),
  logFormat: flagOf("logFormat"),
  "metrics.access": flagOf("metrics.access"),
  "cluster.servers": flagOf("cluster.servers"),
  "cluster.net": flagOf("cluster.net"),
  "cluster.zone": flagOf("cluster.zone")
}

/** For an executor, which has no database, listens nowhere and signs nothing. */
export const executorOptions = {
  ...anySetting,
  workers: flagOf("workers"),
  isolation: flagOf("isolation"),
  logFormat: flagOf("logFormat"),
  "cluster.servers": flagOf("cluster.servers"),
  "cluster.net": flagOf("cluster.net"),
  "cluster.zone": flagOf("cluster.zone"),
  json: jsonOption
}

type Values<O> = { readonly [Name in keyof O]: O[Name] extends Options.Options<infer A> ? A : never }

/** What {@link databaseOptions} read. */
export type DatabaseOptions = Values<typeof databaseOptions>

/** What {@link serverOptions} read. */
export type ServerOptions = Values<typeof serverOptions>

const setting = (text: string): readonly [name: string, value: string] => {
  const at = text.indexOf("=")
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)]
}

const invalid = (field: string, rule: string, message: string) => new InvalidConfiguration({ field, rule, message })

/** A `--set` without its name or `=`, or one of a setting whose own flag is given, too. */
const faultOf = (set: ReadonlyArray<string>, own: ReadonlyArray<FlaggedName>): InvalidConfiguration | undefined => {
  const unnamed = set.find((text) => text.indexOf("=") < 1)
  // What is not a name may be a secret.
  if (unnamed !== undefined) return invalid("--set", "NAME=VALUE", "--set must be NAME=VALUE")
  const twice = own.find((name) => set.some((text) => setting(text)[0] === name))
  if (twice === undefined) return undefined
  const flag = `--${flagged[twice].flag ?? twice}`
  return invalid(flag, "given once", `${flag} and --set ${twice} are given both; they are one setting`)
}

/** The settings on the command line. */
export const configurationFlags = ({
  config,
  set,
  ...flags
}: Pick<ServerOptions, "config" | "set"> & Partial<Pick<ServerOptions, FlaggedName>>): ConfigurationFlags => {
  const own = flaggedNames.flatMap((name) => Option.toArray(flags[name] ?? Option.none()).map((value) => [name, value] as const))
  const fault = faultOf(
    set,
    own.map(([name]) => name)
  )
  return { config: Option.getOrUndefined(config), settings: Object.fromEntries([...set.map(setting), ...own]), fault }
}
