/** The rule of a net's name, as an error of whoever configures an edge or an executor. */
import { Effect } from "effect"
import { NatsMisconfigured } from "../connection/natsErrors.ts"
import { isNetName } from "../contract/subjects.ts"

/** Fails where a text cannot name a net. */
export const checkNetName = (net: string): Effect.Effect<void, NatsMisconfigured> =>
  isNetName(net)
    ? Effect.void
    : new NatsMisconfigured({ field: "net", message: "net has 1 to 32 lowercase letters, digits and hyphens inside" })
