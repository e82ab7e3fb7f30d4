/** Every audit of an adapter, which a new adapter has to pass before a service is used with it. */
import type { Audit } from "../audits/audit.ts"
import type { AdapterTarget } from "./adapterTarget.ts"
import { bodyAudits } from "./bodyAudits.ts"
import { requestAudits } from "./requestAudits.ts"
import { socketAudits } from "./socketAudits.ts"
import { upgradeAudits } from "./upgradeAudits.ts"

/** Requests, answers, bodies, aborts, refused upgrades and open WebSockets, over real sockets. */
export const adapterAudits: ReadonlyArray<Audit<AdapterTarget>> = [...requestAudits, ...bodyAudits, ...upgradeAudits, ...socketAudits]
