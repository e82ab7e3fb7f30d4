/** The `Idempotency-Key` of a request, and what tells two requests under one key apart (decision D34). */
import { Effect } from "effect"
import { InvalidParameter } from "../contract/errors.ts"
import { idempotencyKeyForm } from "../domain/idempotency.ts"
import { lastResultKeyOf } from "../domain/lastResultKey.ts"
import type { ExecuteParameters } from "./executeParameters.ts"
import type { ServiceRequest } from "./seam.ts"

const name = "Idempotency-Key"

/** The key of a request; `undefined` when it has none. */
export const readIdempotencyKey = (request: ServiceRequest): Effect.Effect<string | undefined, InvalidParameter> =>
  Effect.suspend(() => {
    const key = request.header(name.toLowerCase())
    return key === undefined || idempotencyKeyForm.test(key)
      ? Effect.succeed(key)
      : Effect.fail(InvalidParameter.because(name, "must be 1 to 255 visible ASCII characters"))
  })

/** Equal for two requests that ask for the same, wherever and however they write it. */
export const fingerprintOf = ({ key, options }: ExecuteParameters): string => {
  const remembered = options.returnLastResult ?? false
  return JSON.stringify([
    lastResultKeyOf(key),
    options.encoding ?? "hex",
    options.injectLastResult ?? "none",
    options.includeSummary ?? false,
    options.includeDebugInfo ?? false,
    remembered,
    remembered ? (options.returnLastResultMaxAge ?? null) : null
  ])
}
