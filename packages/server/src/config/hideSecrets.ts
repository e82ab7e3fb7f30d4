/** Takes the secrets of a configuration out of whatever this process prints, logs or pushes. */
import { readFileSync, statSync } from "node:fs"
import { Redacted } from "effect"
import { hideTexts } from "../output/withoutSecrets.ts"
import type { ClusterConfiguration, Configuration } from "./configuration.ts"
import { percentDecoded } from "./percentDecoded.ts"

/** What may contain secrets. */
export type SecretParts = Partial<Pick<Configuration, "cluster" | "database" | "metrics" | "otlp" | "outbound">>

const passwordsIn = (address: string): ReadonlyArray<string> => {
  if (!URL.canParse(address)) return []
  const { password } = new URL(address)
  return [password, percentDecoded(password)]
}

/** JWTs, seeds and lines of keys have no spaces; what else stands in these files is shorter. */
const leastTokenChars = 32

/** More than any of these files: one that is longer, or is a device, is refused where it is used, as one that cannot be read. */
const mostFileBytes = 16 * 2 ** 20

/** What a file with credentials or a private key holds. */
const tokensIn = (path: string | undefined): ReadonlyArray<string> => {
  if (path === undefined) return []
  try {
    const found = statSync(path)
    if (!found.isFile() || found.size > mostFileBytes) return []
    return readFileSync(path, "utf8")
      .split(/\s+/)
      .filter((token) => token.length >= leastTokenChars && /[A-Za-z0-9]/.test(token))
  } catch {
    return []
  }
}

const ofCluster = ({ nats }: ClusterConfiguration): ReadonlyArray<string> => [
  ...[nats.password, nats.token, nats.nkeySeed].flatMap((secret) => (secret === undefined ? [] : [Redacted.value(secret)])),
  ...tokensIn(nats.credentialsFile),
  ...tokensIn(nats.tls?.keyFile)
]

const ofDatabase = (database: Redacted.Redacted): ReadonlyArray<string> => {
  const address = Redacted.value(database)
  return address.startsWith("postgres") ? [address, ...passwordsIn(address)] : []
}

/** Of a list `name=value,name=value`: the whole, and each value as it is written and as it is sent. */
const ofHeaders = (headers: Redacted.Redacted): ReadonlyArray<string> => {
  const list = Redacted.value(headers)
  const values = list.split(",").map((header) => header.slice(header.indexOf("=") + 1).trim())
  // After a scheme such as Bearer the secret stands alone, too.
  return [list, ...values.flatMap((value) => [value, percentDecoded(value), percentDecoded(value).split(" ").at(-1) ?? ""])]
}

/** From now on; the texts of what is hidden stay in memory as long as the process. */
export const hideSecrets = ({ cluster, database, metrics, otlp, outbound }: SecretParts): void =>
  hideTexts([
    ...(cluster === undefined ? [] : ofCluster(cluster)),
    ...(database === undefined ? [] : ofDatabase(database)),
    ...(metrics?.token === undefined ? [] : [Redacted.value(metrics.token)]),
    ...(otlp?.headers === undefined ? [] : ofHeaders(otlp.headers)),
    ...Object.values(outbound?.hostHeaders ?? {}).flatMap((headers) => Object.values(headers))
  ])
