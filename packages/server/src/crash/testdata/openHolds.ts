/** The holds of a project that are still open. */
import type { LedgerTables } from "@sibyl/sql"

/** Holds that are still open although their lease had expired at `untilMs`; `Infinity`: every open hold. */
export const unresolved = (ledger: LedgerTables, untilMs: number): ReadonlyArray<string> =>
  ledger.holds
    .filter(({ leaseEndMs, state }) => state === "held" && leaseEndMs <= untilMs)
    .map(({ holdId }) => `project ${ledger.projectId}: the hold ${holdId} is unresolved`)

/** The credits that are shown as held at `ms`: of open holds whose lease has not expired, and of escrows what is drawn. */
export const heldAt = ({ holds }: LedgerTables, ms: number): bigint =>
  holds
    .filter(({ leaseEndMs, state }) => state === "held" && leaseEndMs > ms)
    .reduce((sum, { amount, drawn }) => sum + (drawn === null || drawn > amount ? amount : drawn), 0n)
