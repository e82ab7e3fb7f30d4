/** `GET /info`: the signing keys, the versions and the network. */
import { Clock, Effect, type Schema } from "effect"
import { apiVersion } from "../../contract/api.ts"
import type { InfoRecord, SigningKeyRecord } from "../../contract/records.ts"
import { isoOrNull } from "../../domain/encoding/isoText.ts"
import type { ListedKey } from "../../domain/signingKeys/listedKey.ts"
import { Options } from "../../services/settings/serviceOptions.ts"
import { Signing } from "../../services/phases/signing.ts"

const keyView = ({ activeFromMs, publicKey, retiredAtMs, validUntilMs }: ListedKey): Schema.Schema.Type<typeof SigningKeyRecord> => ({
  publicKey,
  activeFrom: isoOrNull(activeFromMs),
  retiredAt: isoOrNull(retiredAtMs),
  validUntil: isoOrNull(validUntilMs)
})

/** The record. Without a rotating key it has no `keys`. */
export const infoRecord: Effect.Effect<Schema.Schema.Type<typeof InfoRecord>, never, Options | Signing> = Effect.gen(function* () {
  const { network, serverVersion } = yield* Options
  const signing = yield* Signing
  // Asked first, because that brings the present key up to date.
  const keys = yield* signing.listedKeys(yield* Clock.currentTimeMillis)
  return {
    publicKey: yield* signing.publicKey,
    version: apiVersion,
    serverVersion,
    network: network.name,
    chainId: network.chainId,
    ...(keys === undefined ? {} : { keys: keys.map(keyView) })
  }
})
