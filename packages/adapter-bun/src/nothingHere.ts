/** The answer at paths that nobody has. */
import { foreignPathResponse, webResponseOf } from "@sibyl/core"

/** The service's 404 `NotFound`. */
export const nothingHere = (): Response => webResponseOf(foreignPathResponse(crypto.randomUUID()))
