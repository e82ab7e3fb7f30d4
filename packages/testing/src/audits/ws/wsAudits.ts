/** Every audit of the WebSocket interface, which a conforming service has to pass. */
import type { Audit } from "../audit.ts"
import { connectionAudits } from "./connectionAudits.ts"
import { creditAudits } from "./creditAudits.ts"
import { endAudits } from "./endAudits.ts"
import { feedAudits } from "./feedAudits.ts"
import { frameAudits } from "./frameAudits.ts"
import { livenessAudits } from "./livenessAudits.ts"
import { loadAudits } from "./loadAudits.ts"
import { rpcAudits } from "./rpcAudits.ts"
import { shareAudits } from "./shareAudits.ts"
import { scheduleAudits } from "./scheduleAudits.ts"
import { wsExecuteAudits } from "./wsExecuteAudits.ts"
import type { WsTarget } from "./wsTarget.ts"

/** In the order in which a client uses the interface; the last one shuts the target down. */
export const wsAudits: ReadonlyArray<Audit<WsTarget>> = [
  ...connectionAudits,
  ...rpcAudits,
  ...wsExecuteAudits,
  ...feedAudits,
  ...shareAudits,
  ...creditAudits,
  ...scheduleAudits,
  ...frameAudits,
  ...livenessAudits,
  ...loadAudits,
  ...endAudits
]
