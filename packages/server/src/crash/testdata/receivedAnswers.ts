/** The answers that clients received, and whether the ledger has them. */
import type { LedgerTables } from "./ledgerTables.ts"

/** The answers that one project's clients received. Requests are identified by the text of their inputs. */
export interface ReceivedAnswers {
  /** Ids of the answers to each request, by its inputs; a request without an idempotency key is sent only once. */
  readonly answered: ReadonlyMap<string, ReadonlySet<string>>
  /** The inputs of requests with an idempotency key: however often they are sent, they may run only once. */
  readonly keyed: ReadonlySet<string>
  /** Ids of the results that feeds delivered. */
  readonly fed: ReadonlySet<string>
}

/** Every received answer that the ledger contradicts, as text. */
export const answerFaults = ({ projectId, reports }: LedgerTables, told: ReceivedAnswers): ReadonlyArray<string> => {
  const byId = new Map(reports.map((report) => [report.id, report]))
  const runs = new Map<string, number>()
  for (const { inputs } of reports) runs.set(inputs, (runs.get(inputs) ?? 0) + 1)
  const faults: Array<string> = []
  for (const [inputs, ids] of told.answered) {
    if (ids.size > 1) faults.push(`${inputs} was answered by ${ids.size} runs`)
    for (const id of ids) {
      const kept = byId.get(id)
      if (kept === undefined) faults.push(`the answer ${id} to ${inputs} is lost`)
      else if (kept.inputs !== inputs) faults.push(`the answer ${id} to ${inputs} belongs to ${kept.inputs}`)
    }
  }
  for (const inputs of told.keyed) {
    if ((runs.get(inputs) ?? 0) > 1) faults.push(`${inputs} ran ${runs.get(inputs)} times under one key`)
  }
  for (const id of told.fed) if (!byId.has(id)) faults.push(`the feed's result ${id} is lost`)
  return faults.map((fault) => `project ${projectId}: ${fault}`)
}
