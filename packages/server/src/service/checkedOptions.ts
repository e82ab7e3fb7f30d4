/** The options of an embedder, checked by the rules that the settings of a server have, before anything is opened. */
import { InvalidOption, type ServiceOptions } from "@sibyl/core"
import { checkNames, didYouMean, serviceNames } from "@sibyl/core/internal"
import { Either, Layer, Redacted } from "effect"
import { type SettingName, settings } from "../config/settings.ts"
import { clusterNames, sibylNames } from "./knownNames.ts"
import type { SibylOptions } from "./sibylOptions.ts"

/** Options whose settings have the same name, and the same form in JSON. */
const plain = [
  "databaseConnections",
  "workers",
  "isolation",
  "workerMemoryMib",
  "signInThreads",
  "logLevel",
  "profile",
  "payloadField",
  "debugBeside",
  "lastResultRefresh",
  "allowedOrigins",
  "maxRunsInFlight",
  "keepRecordings",
  "replicationFactor",
  "reportsPerProject"
] as const satisfies ReadonlyArray<SettingName & keyof SibylOptions>

const tariffSettings = { baseCredits: "tariff.base", gasPerCredit: "tariff.gasPerCredit", gasPerWorkerMs: "tariff.gasPerWorkerMs" } as const

const check = (option: string, name: SettingName, value: unknown): void => {
  const { decode, rule } = settings[name].kind
  // An embedder has a list where the command line has text.
  const read: Either.Either<unknown, unknown> = decode(value)
  if (Either.isLeft(read)) throw new InvalidOption(option, `must be ${rule.replace(/; as text: .*$/, "")}`)
}

const checkTariff = (tariff: object): void => {
  if (typeof (tariff as unknown) !== "object" || tariff === null) throw new InvalidOption("tariff", "must be an object")
  for (const [name, value] of Object.entries(tariff)) {
    if (!Object.hasOwn(tariffSettings, name)) {
      throw new InvalidOption(`tariff.${name}`, `is no price${didYouMean(name, Object.keys(tariffSettings))}`)
    }
    if (value === undefined) continue
    if (typeof value !== "bigint") throw new InvalidOption(`tariff.${name}`, "must be a bigint")
    check(`tariff.${name}`, tariffSettings[name as keyof typeof tariffSettings], `${value}`)
  }
}

/** Options without a setting of the same form. */
const checkParts = ({ cluster, feedRelay, logRequests, metrics, observing }: SibylOptions): void => {
  for (const [name, layer] of Object.entries({ feedRelay, observing })) {
    if (layer !== undefined && !Layer.isLayer(layer)) throw new InvalidOption(name, "must be a layer of Effect")
  }
  for (const [name, flag] of Object.entries({ logRequests, metrics })) {
    if (flag !== undefined && typeof (flag as unknown) !== "boolean") throw new InvalidOption(name, "must be true or false")
  }
  if (cluster === undefined) return
  checkNames(cluster, clusterNames, "cluster.")
  // Its members are checked by the connection.
  if (typeof (cluster.nats as unknown) !== "object" || (cluster.nats as unknown) === null) {
    throw new InvalidOption("cluster.nats", "must be an object")
  }
}

/** No message repeats an address: it may contain a password. */
const checkDatabase = (database: unknown): void => {
  const address = Redacted.isRedacted(database) ? Redacted.value(database) : database
  const isKnown = typeof address === "string" && /^(?:sqlite:|postgres(?:ql)?:\/\/|(?![a-z][a-z0-9+.-]*:\/\/))./s.test(address)
  if (!isKnown)
    throw new InvalidOption("database", "must be the path of a SQLite file, sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/NAME")
}

/** The options without those that are `undefined`. Throws `InvalidOption` for the first that breaks its rule; limits are checked by the service. */
export const checkedOptions = (chosen: SibylOptions): SibylOptions => {
  checkNames(chosen, sibylNames)
  const { database, network, tariff } = chosen
  checkDatabase(database)
  for (const name of plain) if (chosen[name] !== undefined) check(name, name, chosen[name])
  checkParts(chosen)
  if (network !== undefined) {
    if (typeof (network as unknown) !== "object" || (network as unknown) === null) throw new InvalidOption("network", "must be an object")
    check("network.name", "network", network.name)
    check("network.chainId", "chainId", network.chainId)
  }
  if (tariff === undefined) return chosen
  checkTariff(tariff)
  return { ...chosen, tariff: Object.fromEntries(Object.entries(tariff).filter(([, value]) => value !== undefined)) }
}

/** The options of the service among those of the whole. */
export const serviceOptionsIn = (options: SibylOptions): Omit<ServiceOptions, "network"> =>
  Object.fromEntries(Object.entries(options).filter(([name]) => name !== "network" && Object.hasOwn(serviceNames, name)))
