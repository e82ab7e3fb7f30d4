/** Every project's credits, in memory. */
import { Clock, type Context, Effect } from "effect"
import { type Balance, type Hold, periodStartMs } from "../../domain/credits/balance.ts"
import { afterHold, afterPost, afterVoid, chargedReport, holdRefusal, postedOf } from "../../domain/credits/credits.ts"
import type { ExecutionReport } from "../../domain/reports/executionReport.ts"
import type { EntryKind } from "../../domain/credits/journalEntry.ts"
import type { StorageWrite } from "../../domain/programs/programStorage.ts"
import type { Project } from "../../domain/accounts/project.ts"
import { uuidOf } from "../../domain/encoding/uuid.ts"
import type { Entropy } from "../entropy.ts"
import type { Ledger } from "../ledger.ts"
import { StoreDefect } from "../storeDefect.ts"
import { keepStorage } from "./memoryProgramStorage.ts"
import { appendReport, reportName } from "./memoryResultStore.ts"
import { enter, existing, type MemoryState, type OpenHold } from "./memoryState.ts"

const periodOf = ({ projectId, usageLimit }: Project, nowMs: number): string | undefined =>
  usageLimit === null ? undefined : `${projectId}/${usageLimit.periodMs}/${periodStartMs(nowMs, usageLimit.periodMs)}`

const addToPeriod = (state: MemoryState, period: string | undefined, credits: bigint): void => {
  if (period !== undefined) state.periods.set(period, (state.periods.get(period) ?? 0n) + credits)
}

/** How a hold ends. `posted` of it is used, the rest returned. */
interface Ending {
  readonly kind: Exclude<EntryKind, "grant" | "hold">
  readonly posted: bigint
  readonly atMs: number
}

const resolve = (state: MemoryState, { hold, period }: OpenHold, { atMs, kind, posted }: Ending): void => {
  const { amount, holdId, projectId } = hold
  const account = existing(state.accounts, projectId, "project")
  const isPost = kind === "post"
  state.openHolds.delete(holdId)
  state.resolvedHolds.set(holdId, isPost ? "posted" : "voided")
  state.accounts.set(projectId, isPost ? afterPost(account, amount, posted) : afterVoid(account, amount))
  enter(state, projectId, { kind, credits: isPost ? posted : amount, holdId, atMs })
  addToPeriod(state, period, posted - amount)
}

const voidLapsed = (state: MemoryState, nowMs: number): void => {
  for (const open of state.openHolds.values()) {
    if (open.leaseEndMs <= nowMs) resolve(state, open, { kind: "expire", posted: 0n, atMs: nowMs })
  }
}

/** The project's balance now, after the holds whose lease is over were returned. */
export const balanceOf = (state: MemoryState, project: Project, nowMs: number): Balance => {
  voidLapsed(state, nowMs)
  const period = periodOf(project, nowMs)
  const periodUsed = period === undefined ? 0n : (state.periods.get(period) ?? 0n)
  return { ...existing(state.accounts, project.projectId, "project"), periodUsed }
}

const settle = (
  state: MemoryState,
  { holdId, projectId }: Hold,
  report: ExecutionReport,
  storage: ReadonlyArray<StorageWrite>,
  nowMs: number
): Balance => {
  voidLapsed(state, nowMs)
  const open = state.openHolds.get(holdId)
  if (open === undefined) {
    if (existing(state.resolvedHolds, holdId, "hold") === "voided") {
      throw new StoreDefect(`hold ${holdId} was voided, it cannot be settled`)
    }
  } else {
    if (report.projectId !== open.hold.projectId) throw new StoreDefect(`hold ${holdId} is of another project`)
    if (state.reportsById.has(reportName(report.projectId, report.id))) {
      throw new StoreDefect(`the run ${report.id} was settled already, with another hold`)
    }
    const posted = postedOf(open.hold.amount, report.cost.total)
    resolve(state, open, { kind: "post", posted, atMs: nowMs })
    appendReport(state, chargedReport(report, posted))
    keepStorage(state, report, storage)
  }
  return balanceOf(state, existing(state.projects, projectId, "project"), nowMs)
}

/** The ledger over a state. */
export const memoryLedger = (
  state: MemoryState,
  entropy: Context.Tag.Service<Entropy>
): Context.Tag.Service<Ledger> => ({
  hold: (project, amount, leaseMs) =>
    Effect.flatMap(Effect.zip(entropy.bytes(16), Clock.currentTimeMillis), ([bytes, nowMs]) => {
      if (amount < 0n) throw new StoreDefect(`a hold of ${amount} credits`)
      const refusal = holdRefusal(balanceOf(state, project, nowMs), project.usageLimit, amount, nowMs)
      if (refusal !== undefined) return Effect.fail(refusal)
      const hold: Hold = { holdId: uuidOf(bytes), projectId: project.projectId, amount }
      const period = periodOf(project, nowMs)
      const account = existing(state.accounts, project.projectId, "project")
      state.openHolds.set(hold.holdId, { hold, leaseEndMs: nowMs + leaseMs, period })
      state.accounts.set(project.projectId, afterHold(account, amount))
      enter(state, project.projectId, { kind: "hold", credits: amount, holdId: hold.holdId, atMs: nowMs })
      addToPeriod(state, period, amount)
      return Effect.succeed(hold)
    }),
  renew: ({ holdId }, leaseMs) =>
    Effect.map(Clock.currentTimeMillis, (nowMs) => {
      voidLapsed(state, nowMs)
      const open = state.openHolds.get(holdId)
      if (open === undefined) {
        existing(state.resolvedHolds, holdId, "hold")
        return false
      }
      state.openHolds.set(holdId, { ...open, leaseEndMs: Math.max(open.leaseEndMs, nowMs + leaseMs) })
      return true
    }),
  settle: (hold, report, storage = []) =>
    Effect.map(Clock.currentTimeMillis, (nowMs) => settle(state, hold, report, storage, nowMs)),
  void: ({ holdId }) =>
    Effect.map(Clock.currentTimeMillis, (nowMs) => {
      voidLapsed(state, nowMs)
      const open = state.openHolds.get(holdId)
      if (open === undefined) existing(state.resolvedHolds, holdId, "hold")
      else resolve(state, open, { kind: "void", posted: 0n, atMs: nowMs })
    }),
  balance: (project) => Effect.map(Clock.currentTimeMillis, (nowMs) => balanceOf(state, project, nowMs))
})
