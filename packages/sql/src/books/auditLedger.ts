/** Audits a project's ledger: everything else is compared with the journal. */
import type { BookedReport, JournalLine, KeptBeside, LedgerTables, StoredHold } from "./ledgerTables.ts"

interface Sums {
  granted: bigint
  used: bigint
  held: bigint
}

/** Faults of one project that are told; all are counted. */
const mostTold = 100

/** The newest charge whose report is gone, and when it was made. */
export interface Unreported {
  readonly entry: number
  readonly atMs: number
}

/** The audit of one project, whose journal and reports come in pages, so that any number of them fits into memory. */
export class LedgerAudit {
  readonly #sums: Sums = { granted: 0n, used: 0n, held: 0n }
  readonly #open = new Map<string, bigint>()
  readonly #ids = new Set<string>()
  readonly #moments = new Set<string>()
  readonly #told: Array<string> = []
  readonly #reportsSinceMs: number
  #lines = 0
  #unreported: Unreported | undefined
  faultCount = 0

  /** Charges before `reportsSinceMs` may have lost their reports to retention; by default none. */
  constructor(reportsSinceMs = Number.NEGATIVE_INFINITY) {
    this.#reportsSinceMs = reportsSinceMs
  }

  /** The newest charge whose report may have gone by retention. */
  get unreported(): Unreported | undefined {
    return this.#unreported
  }

  /** Notes a fault. */
  fault(text: string): void {
    this.faultCount += 1
    if (this.#told.length < mostTold) this.#told.push(text)
  }

  /** Takes the next lines of the journal, and the reports whose charges are among them. */
  take(journal: ReadonlyArray<JournalLine>, reports: ReadonlyArray<BookedReport>): void {
    for (const line of journal) this.#takeLine(line)
    this.#takeReports(journal, reports)
  }

  /** Compares the sums with what is kept beside, and answers every fault as text. An open hold is none. */
  end({ account, holds, unanswered }: KeptBeside): ReadonlyArray<string> {
    for (const name of ["granted", "used", "held"] as const) {
      if (account[name] !== this.#sums[name]) this.fault(`${name}: kept ${account[name]}, journal ${this.#sums[name]}`)
    }
    if (account.lastEntry !== this.#lines) this.fault(`the last entry is kept as ${account.lastEntry}`)
    this.#compareHolds(holds)
    for (const id of unanswered) this.fault(`run ${id} was charged, and no answer is kept under its idempotency key`)
    const untold = this.faultCount - this.#told.length
    return untold === 0 ? this.#told : [...this.#told, `and ${untold} more`]
  }

  #takeLine(line: JournalLine): void {
    this.#lines += 1
    if (line.entry !== this.#lines) this.fault(`entry ${line.entry} stands at place ${this.#lines}`)
    if (line.kind === "grant") this.#sums.granted += line.credits
    else if (line.kind === "withdraw") this.#sums.granted -= line.credits
    else if (line.kind === "hold") {
      this.#open.set(line.holdId ?? "", line.credits)
      this.#sums.held += line.credits
    } else if (line.kind === "extend" || line.kind === "charge" || line.kind === "release") this.#change(line)
    else this.#resolve(line)
    if (this.#sums.granted < this.#sums.used + this.#sums.held) this.fault(`entry ${line.entry}: the balance is overdrawn`)
  }

  #resolve({ credits, entry, holdId, kind }: JournalLine): void {
    const amount = this.#open.get(holdId ?? "")
    if (amount === undefined) return this.fault(`entry ${entry}: a ${kind} of a hold that is not open`)
    if (kind === "post" && credits > amount) this.fault(`entry ${entry}: ${credits} posted of a hold of ${amount}`)
    if (kind !== "post" && credits !== amount) this.fault(`entry ${entry}: ${credits} returned of a hold of ${amount}`)
    this.#open.delete(holdId ?? "")
    this.#sums.held -= amount
    if (kind === "post") this.#sums.used += credits
  }

  /** An escrow stays open when it is extended, charged, and gives back a part. */
  #change({ credits, entry, holdId, kind }: JournalLine): void {
    const amount = this.#open.get(holdId ?? "")
    if (amount === undefined) return this.fault(`entry ${entry}: a ${kind} of a hold that is not open`)
    const changed = kind === "extend" ? credits : -credits
    if (amount + changed < 0n) this.fault(`entry ${entry}: a ${kind} of ${credits} of a hold of ${amount}`)
    this.#open.set(holdId ?? "", amount + changed)
    this.#sums.held += changed
    if (kind === "charge") this.#sums.used += credits
  }

  #takeReports(journal: ReadonlyArray<JournalLine>, reports: ReadonlyArray<BookedReport>): void {
    const charges = new Map(journal.filter(({ kind }) => kind === "post" || kind === "charge").map((line) => [line.entry, line]))
    const reported = new Set<number>()
    for (const { drId, entry, id, timestamp, total } of reports) {
      reported.add(entry)
      const charged = charges.get(entry)?.credits
      if (charged !== total) this.fault(`report of entry ${entry}: costs ${total}, charged ${charged}`)
      const moment = `${drId} ${timestamp}`
      if (this.#ids.has(id)) this.fault(`two reports have the id ${id}`)
      if (this.#moments.has(moment)) this.fault(`two results of one request have one timestamp: ${moment}`)
      this.#ids.add(id)
      this.#moments.add(moment)
    }
    for (const { atMs = Number.POSITIVE_INFINITY, entry } of charges.values()) {
      if (reported.has(entry)) continue
      if (atMs >= this.#reportsSinceMs) this.fault(`the charge of entry ${entry} has no report`)
      else this.#unreported = { entry, atMs }
    }
  }

  #compareHolds(holds: ReadonlyArray<StoredHold>): void {
    const kept = new Map(holds.filter(({ state }) => state === "held").map(({ amount, holdId }) => [holdId, amount]))
    for (const holdId of new Set([...kept.keys(), ...this.#open.keys()])) {
      if (kept.get(holdId) === this.#open.get(holdId)) continue
      this.fault(`hold ${holdId}: kept ${kept.get(holdId)}, journal ${this.#open.get(holdId)}`)
    }
  }
}

/** Every fault of a project's ledger as text; empty if it is consistent. An open hold is not a fault. */
export const auditLedger = (ledger: LedgerTables): ReadonlyArray<string> => {
  const audit = new LedgerAudit()
  audit.take(ledger.journal, ledger.reports)
  return audit.end(ledger).map((fault) => `project ${ledger.projectId}: ${fault}`)
}
