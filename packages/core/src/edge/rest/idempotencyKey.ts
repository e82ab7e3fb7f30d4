/** The `Idempotency-Key` of a request, and what tells two requests under one key apart (decision D34). */
import { Effect } from "effect"
import { InvalidParameter } from "../../contract/errors.ts"
import { fromUtf8, toHex } from "../../domain/encoding/bytes.ts"
import { idempotencyKeyForm } from "../../domain/runs/idempotency.ts"
import { lastResultKeyOf } from "../../domain/reports/lastResultKey.ts"
import type { ExecuteParameters } from "../execution/executeParameters.ts"
import type { ServiceRequest } from "../transport/seam.ts"
import { keccak256 } from "../../domain/encoding/keccak256.ts"

const name = "Idempotency-Key"

/** Its header as adapters name it. */
export const idempotencyHeader = name.toLowerCase()

/** A key is stored only as a hash: a client may have put a secret into it. */
const nameOf = (key: string): string => toHex(keccak256(fromUtf8(key)))

/** The key of a request, hashed to 64 hex characters; `undefined` when it has none. */
export const readIdempotencyKey = (request: ServiceRequest): Effect.Effect<string | undefined, InvalidParameter> =>
  Effect.suspend(() => {
    const key = request.header(idempotencyHeader)
    if (key === undefined) return Effect.succeed(key)
    return idempotencyKeyForm.test(key)
      ? Effect.succeed(nameOf(key))
      : Effect.fail(InvalidParameter.because(name, "must be 1 to 255 visible ASCII characters"))
  })

/** Equal for two requests with the same meaning, regardless of where and how their parameters are written. */
export const fingerprintOf = ({ key, options }: ExecuteParameters): string => {
  const remembered = options.returnLastResult ?? false
  return JSON.stringify([
    lastResultKeyOf(key),
    options.encoding ?? "hex",
    options.injectLastResult ?? "none",
    options.includeSummary ?? false,
    options.includeDebugInfo ?? false,
    remembered,
    remembered ? (options.returnLastResultMaxAge ?? null) : null,
    // Only if they are set: the fingerprints of keys from before these flags stay valid.
    ...(options.noPrefetch === true ? ["noPrefetch"] : []),
    ...(options.includeRecording === true ? ["includeRecording"] : [])
  ])
}
