/** The answers stored under idempotency keys, in memory. */
import { Clock, type Context, Effect, Option } from "effect"
import {
  type ChargedAnswer,
  type IdempotencyClaim,
  type IdempotencyRecord,
  judgeIdempotency,
  keptMs
} from "../../domain/runs/idempotency.ts"
import type { ExecutionReport } from "../../domain/reports/executionReport.ts"
import type { Idempotency } from "../idempotency.ts"
import { existing, type MemoryState } from "./memoryState.ts"

/** How many expired records a claim removes: more than it adds, so that they do not accumulate. */
const sweptByClaim = 8

const nameOf = ({ key, projectId }: Pick<IdempotencyClaim, "projectId" | "key">): string => `${projectId}/${key}`

/** Records are ordered by expiry, because each write appends. */
const write = (state: MemoryState, name: string, record: IdempotencyRecord): void => {
  state.idempotency.delete(name)
  state.idempotency.set(name, record)
}

const sweep = (state: MemoryState, nowMs: number): void => {
  let left = sweptByClaim
  for (const [name, { expiresAtMs }] of state.idempotency) {
    if (nowMs < expiresAtMs || left === 0) return
    state.idempotency.delete(name)
    left -= 1
  }
}

/** The record of a claim that still holds its key. */
const held = (state: MemoryState, claim: IdempotencyClaim): IdempotencyRecord | undefined => {
  const record = state.idempotency.get(nameOf(claim))
  return record?.attemptId === claim.attemptId && record.answer === undefined ? record : undefined
}

/** Keeps the answer of a run with its charge. Called by the ledger, in the same step as the posting. */
export const keepWithCharge = (
  state: MemoryState,
  { id, projectId }: ExecutionReport,
  { body, expiresAtMs, key, status }: ChargedAnswer
): void => {
  const name = nameOf({ key, projectId })
  const record = state.idempotency.get(name)
  if (record?.runId === id && record.answer === undefined) write(state, name, { ...record, answer: { status, body }, expiresAtMs })
}

/** Idempotency keys over a state. */
export const memoryIdempotency = (state: MemoryState): Context.Tag.Service<Idempotency> => ({
  claim: (input) =>
    Effect.map(Clock.currentTimeMillis, (nowMs) => {
      existing(state.projects, input.projectId, "project")
      sweep(state, nowMs)
      const { record, verdict } = judgeIdempotency(state.idempotency.get(nameOf(input)), input, nowMs)
      if (record !== undefined) write(state, nameOf(input), record)
      return verdict
    }),
  renew: (claim, leaseMs) =>
    Effect.map(Clock.currentTimeMillis, (nowMs) => {
      const record = held(state, claim)
      // Updated in place: its expiry does not change.
      if (record !== undefined) state.idempotency.set(nameOf(claim), { ...record, leaseEndMs: nowMs + leaseMs })
      return record !== undefined
    }),
  answer: (claim) => Effect.sync(() => Option.fromNullable(state.idempotency.get(nameOf(claim))?.answer)),
  keep: (claim, answer) =>
    Effect.map(Clock.currentTimeMillis, (nowMs) => {
      const record = held(state, claim)
      if (record !== undefined) write(state, nameOf(claim), { ...record, answer, expiresAtMs: nowMs + keptMs })
    }),
  release: (claim) =>
    Effect.sync(() => {
      if (held(state, claim) !== undefined) state.idempotency.delete(nameOf(claim))
    })
})
