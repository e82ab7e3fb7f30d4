/** Every audit of an adapter: what a new runtime has to pass before a service is put behind it. */
import type { Audit } from "../audits/audit.ts"
import type { AdapterTarget } from "./adapterTarget.ts"
import { bodyAudits } from "./bodyAudits.ts"
import { requestAudits } from "./requestAudits.ts"
import { upgradeAudits } from "./upgradeAudits.ts"

/** Requests, answers, bodies, aborts and refused upgrades, over real sockets. */
export const adapterAudits: ReadonlyArray<Audit<AdapterTarget>> = [...requestAudits, ...bodyAudits, ...upgradeAudits]
