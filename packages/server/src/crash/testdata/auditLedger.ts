/** Audits a project's ledger: everything else is compared with the journal. */
import type { LedgerTables, JournalLine } from "./ledgerTables.ts"

interface Sums {
  granted: bigint
  used: bigint
  held: bigint
}

/** The journal's sums, and every line that cannot follow the lines before it. */
const addUp = (journal: ReadonlyArray<JournalLine>) => {
  const sums: Sums = { granted: 0n, used: 0n, held: 0n }
  const open = new Map<string, bigint>()
  const faults: Array<string> = []
  const resolve = ({ credits, entry, holdId, kind }: JournalLine): void => {
    const amount = open.get(holdId ?? "")
    if (amount === undefined) return void faults.push(`entry ${entry}: a ${kind} of a hold that is not open`)
    if (kind === "post" && credits > amount) faults.push(`entry ${entry}: ${credits} posted of a hold of ${amount}`)
    if (kind !== "post" && credits !== amount) faults.push(`entry ${entry}: ${credits} returned of a hold of ${amount}`)
    open.delete(holdId ?? "")
    sums.held -= amount
    if (kind === "post") sums.used += credits
  }
  /** An escrow stays open when it is extended, charged, and gives back a part. */
  const change = ({ credits, entry, holdId, kind }: JournalLine): void => {
    const amount = open.get(holdId ?? "")
    if (amount === undefined) return void faults.push(`entry ${entry}: a ${kind} of a hold that is not open`)
    const changed = kind === "extend" ? credits : -credits
    if (amount + changed < 0n) faults.push(`entry ${entry}: a ${kind} of ${credits} of a hold of ${amount}`)
    open.set(holdId ?? "", amount + changed)
    sums.held += changed
    if (kind === "charge") sums.used += credits
  }
  for (const [at, line] of journal.entries()) {
    if (line.entry !== at + 1) faults.push(`entry ${line.entry} stands at place ${at + 1}`)
    if (line.kind === "grant") sums.granted += line.credits
    else if (line.kind === "hold") {
      open.set(line.holdId ?? "", line.credits)
      sums.held += line.credits
    } else if (line.kind === "extend" || line.kind === "charge" || line.kind === "release") change(line)
    else resolve(line)
    if (sums.granted < sums.used + sums.held) faults.push(`entry ${line.entry}: the balance is overdrawn`)
  }
  return { sums, open, faults }
}

const accountFaults = ({ account, journal }: LedgerTables, sums: Sums): ReadonlyArray<string> => {
  const names = ["granted", "used", "held"] as const
  const wrong = names.filter((name) => account[name] !== sums[name])
  const last = account.lastEntry === journal.length ? [] : [`the last entry is kept as ${account.lastEntry}`]
  return [...wrong.map((name) => `${name}: kept ${account[name]}, journal ${sums[name]}`), ...last]
}

const holdFaults = ({ holds }: LedgerTables, open: ReadonlyMap<string, bigint>): ReadonlyArray<string> => {
  const kept = new Map(holds.filter(({ state }) => state === "held").map(({ amount, holdId }) => [holdId, amount]))
  return [...new Set([...kept.keys(), ...open.keys()])]
    .filter((holdId) => kept.get(holdId) !== open.get(holdId))
    .map((holdId) => `hold ${holdId}: kept ${kept.get(holdId)}, journal ${open.get(holdId)}`)
}

const reportFaults = ({ journal, reports }: LedgerTables): ReadonlyArray<string> => {
  const posts = new Map(journal.filter(({ kind }) => kind === "post" || kind === "charge").map(({ credits, entry }) => [entry, credits]))
  const faults = reports
    .filter(({ entry, total }) => posts.get(entry) !== total)
    .map(({ entry, total }) => `report of entry ${entry}: costs ${total}, charged ${posts.get(entry)}`)
  const reported = new Set(reports.map(({ entry }) => entry))
  const unreported = [...posts.keys()].filter((entry) => !reported.has(entry))
  const ids = new Set(reports.map(({ id }) => id))
  const moments = new Set(reports.map(({ drId, timestamp }) => `${drId} ${timestamp}`))
  return [
    ...faults,
    ...unreported.map((entry) => `the charge of entry ${entry} has no report`),
    ...(ids.size === reports.length ? [] : ["two reports have one id"]),
    ...(moments.size === reports.length ? [] : ["two results of one request have one timestamp"])
  ]
}

/** Every fault of a project's ledger as text; empty if it is consistent. An open hold is not a fault. */
export const auditLedger = (ledger: LedgerTables): ReadonlyArray<string> => {
  const { faults, open, sums } = addUp(ledger.journal)
  const unanswered = ledger.unanswered.map((id) => `run ${id} was charged, and no answer is kept under its idempotency key`)
  return [...faults, ...accountFaults(ledger, sums), ...holdFaults(ledger, open), ...reportFaults(ledger), ...unanswered].map(
    (fault) => `project ${ledger.projectId}: ${fault}`
  )
}

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
