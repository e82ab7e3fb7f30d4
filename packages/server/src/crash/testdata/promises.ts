/** What a service has told its clients, and whether the books keep it. */
import type { Books } from "./books.ts"

/** The answers of one project's clients. Requests are told apart by the text of their inputs. */
export interface Promises {
  /** Ids of the answers of each request, by its inputs; a request without a key may have been sent once only. */
  readonly answered: ReadonlyMap<string, ReadonlySet<string>>
  /** The inputs of requests under a key of their own: however often they were sent, they may run once. */
  readonly keyed: ReadonlySet<string>
  /** Ids of the results that feeds delivered. */
  readonly fed: ReadonlySet<string>
}

/** Every promise that the books break, in words. */
export const brokenPromises = ({ projectId, reports }: Books, told: Promises): ReadonlyArray<string> => {
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
