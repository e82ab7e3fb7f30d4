/** The keys that a caller trusts: one, or one for each network. */
import { fromHex, toHex } from "../domain/encoding/bytes.ts"
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

/** One trusted key. */
export interface KnownKey {
  readonly network: string | undefined
  readonly publicKey: string
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

/** The normalized keys, or what is wrong with them. */
export const knownKeysOf = (signer: TrustedSigner): KnownKeys | Refused => {
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
