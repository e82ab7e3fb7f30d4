/** The keys that a caller trusts: one, one for each network, or a list with the time of each. */
import { fromHex, toHex } from "../domain/encoding/bytes.ts"
import { readIsoMoment } from "../domain/encoding/isoMoment.ts"
import { isListedAt, signsAt } from "../domain/signingKeys/listedKey.ts"
import { type Refused, refused } from "./verdict.ts"

/**
 * The trusted signers. Nothing that is signed names a network: a network is identified by its key only, and two networks that share a key
 * cannot be told apart. Keys are compressed, 66 hex characters as in `GET /info`.
 */
export type TrustedSigner =
  | { readonly publicKey: string }
  | {
      /** The key of each network by its name. */
      readonly publicKeys: Readonly<Record<string, string>>
      /** The only network to accept; by default all of `publicKeys`. */
      readonly network?: string
    }
  | {
      /** The list of `GET /info`: a result must be signed by the key of its timestamp. */
      readonly keys: ReadonlyArray<ListedSigner>
      /** The caller's clock, in milliseconds since the Unix epoch, for `validUntil`. */
      readonly nowMs: number
    }

/** One key of the list of `GET /info`. The dates are as they stand there, such as `2026-01-31T12:00:00.000Z`. */
export interface ListedSigner {
  readonly publicKey: string
  readonly activeFrom: string | null
  readonly retiredAt: string | null
  readonly validUntil: string | null
}

/** One trusted key. */
export interface KnownKey {
  readonly network: string | undefined
  readonly publicKey: string
  /** Why what it signed at a timestamp is not accepted; undefined if it is. Absent: all of it is. */
  readonly misfitAt?: (timestampMs: number) => string | undefined
}

/** The trusted keys, and the requested network. */
export interface KnownKeys {
  readonly keys: ReadonlyArray<KnownKey>
  readonly network: string | undefined
}

const keyOf = (text: unknown): string | undefined => {
  const bytes = typeof text === "string" ? fromHex(text) : undefined
  return bytes?.length === 33 && (bytes[0] === 2 || bytes[0] === 3) ? toHex(bytes) : undefined
}

const badKey = (field: string): Refused => refused("badOption", `${field} must be a compressed public key, 66 hex characters`, field)

const dateMs = (text: unknown): number | null => {
  if (text === null) return null
  return (typeof text === "string" ? readIsoMoment(text) : undefined) ?? Number.NaN
}

const knownListed = (signers: ReadonlyArray<ListedSigner>, nowMs: number): KnownKeys | Refused => {
  if (!Number.isFinite(nowMs)) return refused("badOption", "nowMs must be given in milliseconds", "nowMs")
  const keys: Array<KnownKey> = []
  for (const [at, { activeFrom, publicKey: text, retiredAt, validUntil }] of signers.entries()) {
    const publicKey = keyOf(text)
    if (publicKey === undefined) return badKey(`keys.${at}.publicKey`)
    const [activeFromMs, retiredAtMs, validUntilMs] = [dateMs(activeFrom), dateMs(retiredAt), dateMs(validUntil)]
    if ([activeFromMs, retiredAtMs, validUntilMs].some(Number.isNaN)) {
      return refused("badOption", "activeFrom, retiredAt and validUntil must be dates or null", `keys.${at}`)
    }
    const listed = { publicKey, announcedAtMs: 0, activeFromMs, retiredAtMs, validUntilMs }
    const misfitAt = (timestampMs: number): string | undefined => {
      if (!isListedAt(listed, nowMs)) return `the key ${publicKey} was valid until ${validUntil}`
      return signsAt(listed, timestampMs) ? undefined : `the key ${publicKey} did not sign at this timestamp`
    }
    keys.push({ network: undefined, publicKey, misfitAt })
  }
  return keys.length === 0 ? badKey("keys") : { keys, network: undefined }
}

/** The normalized keys, or what is wrong with them. */
export const knownKeysOf = (signer: TrustedSigner): KnownKeys | Refused => {
  if ("keys" in signer) return Array.isArray(signer.keys) ? knownListed(signer.keys, signer.nowMs) : badKey("keys")
  if (!("publicKeys" in signer)) {
    const publicKey = keyOf(signer.publicKey)
    return publicKey === undefined ? badKey("publicKey") : { keys: [{ network: undefined, publicKey }], network: undefined }
  }
  const { network, publicKeys } = signer
  const keys: Array<KnownKey> = []
  for (const [name, text] of Object.entries(publicKeys ?? {})) {
    const publicKey = keyOf(text)
    if (publicKey === undefined) return badKey(`publicKeys.${name}`)
    keys.push({ network: name, publicKey })
  }
  if (keys.length === 0) return badKey("publicKeys")
  return network === undefined || keys.some((key) => key.network === network)
    ? { keys, network }
    : refused("badOption", `no key of the network ${network} was given`, "network")
}
