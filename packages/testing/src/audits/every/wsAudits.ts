/** Every audit of the WebSocket interface, which a conforming service has to pass. */
import type { Audit } from "../audit.ts"
import { asyncApiMessageAudits } from "../documents/asyncApiAudits.ts"
import { connectionAudits } from "../ws/connectionAudits.ts"
import { creditAudits } from "../ws/creditAudits.ts"
import { endAudits } from "../ws/endAudits.ts"
import { feedAudits } from "../ws/feedAudits.ts"
import { feedConfigurationAudits } from "../ws/feedConfigurationAudits.ts"
import { followAudits } from "../ws/followAudits.ts"
import { frameAudits } from "../ws/frameAudits.ts"
import { livenessAudits } from "../ws/livenessAudits.ts"
import { loadAudits } from "../ws/loadAudits.ts"
import { wsParameterAudits } from "../ws/parameterAudits.ts"
import { rpcAudits } from "../ws/rpcAudits.ts"
import { shareAudits } from "../ws/shareAudits.ts"
import { scheduleAudits } from "../ws/scheduleAudits.ts"
import { wsTicketAudits } from "../ws/ticketAudits.ts"
import { wsExecuteAudits } from "../ws/wsExecuteAudits.ts"
import type { WsTarget } from "../ws/wsTarget.ts"

/** In the order in which a client uses the interface; the last one shuts the target down. */
export const wsAudits: ReadonlyArray<Audit<WsTarget>> = [
  ...connectionAudits,
  ...wsTicketAudits,
  ...rpcAudits,
  ...wsParameterAudits,
  ...wsExecuteAudits,
  ...feedAudits,
  ...feedConfigurationAudits,
  ...followAudits,
  ...asyncApiMessageAudits,
  ...shareAudits,
  ...creditAudits,
  ...scheduleAudits,
  ...frameAudits,
  ...livenessAudits,
  ...loadAudits,
  ...endAudits
]
