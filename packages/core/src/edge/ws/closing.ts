/** Why the service closes a WebSocket: what its client is told, and under which name it is counted. */
import { closeCodes } from "../../contract/closeCodes.ts"

/** One of the causes. Several have the same code; how a client goes on depends on that alone. */
export interface Closing {
  readonly code: number
  /** The label of the metric. */
  readonly label: string
}

/** The causes for which a close frame is sent. */
export const closings = {
  shutdown: { code: closeCodes.goingAway, label: "shutdown" },
  binary: { code: closeCodes.unsupportedData, label: "binary" },
  tooLarge: { code: closeCodes.tooLarge, label: "too_large" },
  flood: { code: closeCodes.policy, label: "flood" },
  keyEnded: { code: closeCodes.policy, label: "key_ended" },
  slowReader: { code: closeCodes.tryAgainLater, label: "slow_reader" },
  tooMany: { code: closeCodes.tryAgainLater, label: "too_many" }
} as const satisfies Readonly<Record<string, Closing>>

/** The labels of connections that are cut off, with nobody left to tell. */
export const cutLabels = { noPong: "no_pong", broken: "broken" } as const
