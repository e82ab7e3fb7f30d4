/** Faults of credits. */
import { Ledger } from "@sibyl/core"
import { Context, Effect } from "effect"
import { isRecord, isRun, type Ports, ports, seam, type SeededFault } from "./seededFault.ts"
import { everyNth, onAnswer, within } from "./tamper.ts"

const ledgerWith = (ports: Ports, change: (ledger: Ledger["Type"]) => Partial<Ledger["Type"]>): Ports => {
  const ledger = Context.get(ports, Ledger)
  return Context.add(ports, Ledger, { ...ledger, ...change(ledger) })
}

/** All of them. */
export const creditFaults: ReadonlyArray<SeededFault> = [
  seam("credits are used without the balance going down", ["credits"], () =>
    onAnswer((json) => {
      const credits = within(json, "credits")
      if (typeof credits["remaining"] === "string")
        credits["remaining"] = String(BigInt(credits["remaining"]) + BigInt(String(credits["used"])))
    })
  ),
  ports("one credit too many is charged now and then", ["credits"], () => {
    const isWrong = everyNth(4)
    return (ports) =>
      ledgerWith(ports, (ledger) => {
        const more = (report: Parameters<typeof ledger.settle>[1]): typeof report =>
          isWrong() ? { ...report, cost: { ...report.cost, total: report.cost.total + 1n } } : report
        return {
          settle: (hold, report, also) => ledger.settle(hold, more(report), also),
          settleChosen: (hold, report, chosen, also) => ledger.settleChosen(hold, more(report), chosen, { ...also, dated: undefined })
        }
      })
  }),
  ports(
    "failed runs cost nothing",
    ["credits"],
    () => (ports) =>
      ledgerWith(ports, (ledger) => {
        const free = (report: Parameters<typeof ledger.settle>[1]): typeof report =>
          report.dataResult.exitCode === 0 ? report : { ...report, cost: { ...report.cost, total: 0n } }
        return {
          settle: (hold, report, also) => ledger.settle(hold, free(report), also),
          settleChosen: (hold, report, chosen, also) => ledger.settleChosen(hold, free(report), chosen, { ...also, dated: undefined })
        }
      })
  ),
  seam("a grant is shown before the operator made it", ["credits"], () =>
    onAnswer((json) => {
      if (typeof json["remainingCreditsSnapshot"] === "string")
        json["remainingCreditsSnapshot"] = String(BigInt(json["remainingCreditsSnapshot"]) + 400n)
    })
  ),
  seam("requests are refused although there are credits", ["outcome", "credits", "reports"], () => {
    const isRefused = everyNth(5)
    return onAnswer((json, request, response) => {
      if (!isRun(request) || !isRecord(json) || !isRefused()) return undefined
      const error = {
        _tag: "InsufficientCredits",
        error: "no",
        message: "no",
        requestId: response.headers["x-request-id"],
        details: { required: "351", remaining: "350" }
      }
      return { ...response, status: 403, body: JSON.stringify(error) }
    })
  }),
  ports(
    "answers before the charge is durable",
    ["reports", "credits", "last-result"],
    () => (ports) =>
      ledgerWith(ports, (ledger) => {
        let projects: Parameters<typeof ledger.balance>[0] | undefined
        return {
          hold: (project, amount, leaseMs) => {
            projects = project
            return ledger.hold(project, amount, leaseMs)
          },
          settleChosen: (hold, report, chosen, also) => {
            const later = Effect.forkDaemon(Effect.delay(ledger.settleChosen(hold, report, chosen, also), 200))
            return projects === undefined
              ? ledger.settleChosen(hold, report, chosen, also)
              : Effect.zipRight(later, ledger.balance(projects))
          }
        }
      })
  )
]
