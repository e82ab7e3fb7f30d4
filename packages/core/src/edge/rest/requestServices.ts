/** What requests over REST share: who asks, what recent requests meant, and whether they come in at all. */
import { Layer } from "effect"
import type { Admission } from "../../services/admission/admission.ts"
import type { Intake } from "../../services/admission/intake.ts"
import type { Directory } from "../../ports/directory.ts"
import type { Freshness } from "../../ports/freshness.ts"
import type { Network } from "../../ports/network.ts"
import type { Tickets } from "../../ports/tickets/tickets.ts"
import type { Options } from "../../services/settings/serviceOptions.ts"
import { Authorization } from "../access/authorization.ts"
import { KnownParameters } from "../execution/knownParameters.ts"
import { Door } from "./door.ts"

/** The services of the edge that requests need. */
export type RequestServices = Authorization | Door | KnownParameters

/** All of them, for one service. */
export const layerRequestServices: Layer.Layer<
  RequestServices,
  never,
  Admission | Directory | Freshness | Intake | Network | Options | Tickets
> = Layer.merge(Layer.provideMerge(Door.layer, Authorization.layer), KnownParameters.layer)
