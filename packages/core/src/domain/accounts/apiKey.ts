/** The format of an API key: a recognizable prefix, a public id, a secret, and a checksum that detects typing errors. */
import { fromUtf8, toHex } from "../encoding/bytes.ts"
import { keccak256 } from "../encoding/keccak256.ts"

const idBytes = 6
const secretBytes = 24
const checksumDigits = 8
const form = /^sibyl_([a-z0-9-]{1,32})_([0-9a-f]{12})_([0-9a-f]{48})([0-9a-f]{8})$/

/** How many random bytes {@link makeApiKey} needs. */
export const apiKeyEntropyBytes = idBytes + secretBytes

/** A new key: `key` is shown once, `apiKeyId` is public, `hash` is what a store keeps. */
export interface MadeApiKey {
  readonly apiKeyId: string
  readonly key: string
  readonly hash: string
}

const checksumOf = (body: string): string => toHex(keccak256(fromUtf8(body))).slice(0, checksumDigits)

/** The hash that a store keeps. A plain hash is enough: the secret has 192 random bits, so it cannot be guessed. */
export const hashApiKey = (key: string): string => toHex(keccak256(fromUtf8(`sibyl api key\n${key}`)))

/** Makes a key for a network from {@link apiKeyEntropyBytes} random bytes. */
export const makeApiKey = (network: string, entropy: Uint8Array): MadeApiKey => {
  const apiKeyId = toHex(entropy.subarray(0, idBytes))
  const body = `sibyl_${network}_${apiKeyId}_${toHex(entropy.subarray(idBytes, apiKeyEntropyBytes))}`
  const key = `${body}${checksumOf(body)}`
  return { apiKeyId, key, hash: hashApiKey(key) }
}

/** The public id and network of a well-formed key; `undefined` for any other text. The key need not exist. */
export const readApiKey = (key: string): { readonly apiKeyId: string; readonly network: string } | undefined => {
  const match = form.exec(key)
  if (match === null) return undefined
  const [, network = "", apiKeyId = "", , checksum = ""] = match
  return checksumOf(key.slice(0, -checksumDigits)) === checksum ? { apiKeyId, network } : undefined
}
