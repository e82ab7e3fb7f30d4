/** A data proxy as `GET /data-proxy/{public_key}` shows it, registered or not (decision D19). */
import { Effect, Option } from "effect"
import { InvalidParameter } from "../../contract/errors.ts"
import type { DataProxyRecord } from "../../contract/records.ts"
import { proxyKeyOf, proxyKeyRule } from "../../domain/dataProxies/proxyKey.ts"
import { DataProxies } from "../../ports/dataProxies.ts"

/** The record of a key, which it echoes as asked; `asked` is the raw path parameter. */
export const dataProxyRecordOf = (asked: string): Effect.Effect<typeof DataProxyRecord.Type, InvalidParameter, DataProxies> => {
  // Hex needs no percent-encoding, so an encoded parameter is not a key.
  const publicKey = proxyKeyOf(asked)
  if (publicKey === undefined) return Effect.fail(InvalidParameter.because("public_key", proxyKeyRule))
  return Effect.flatMap(DataProxies, (proxies) =>
    Effect.map(
      proxies.find(publicKey),
      Option.match({
        onNone: () => ({ registered: false, name: "", publicKey: asked, fee: "0" }),
        onSome: ({ feeCredits, name }) => ({ registered: true, name, publicKey: asked, fee: String(feeCredits) })
      })
    )
  )
}
