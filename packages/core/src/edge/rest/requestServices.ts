/** What requests over REST share: who asks, and what recent requests meant. */
import { Layer } from "effect"
import type { Directory } from "../../ports/directory.ts"
import type { Freshness } from "../../ports/freshness.ts"
import type { Options } from "../../services/serviceOptions.ts"
import { Authorization } from "../access/authorization.ts"
import { KnownParameters } from "../execution/knownParameters.ts"

/** The services of the edge that requests need. */
export type RequestServices = Authorization | KnownParameters

/** Both, for one service. */
export const layerRequestServices: Layer.Layer<RequestServices, never, Directory | Freshness | Options> = Layer.merge(
  Authorization.layer,
  KnownParameters.layer
)
