/** A project's credits, as `sibyl credits` grants and shows them. */
import { Accounts, type Balance, type JournalEntry, Ledger, Provisioning } from "@sibyl/core"
import { remainingOf } from "@sibyl/core/internal"
import { Effect, Option } from "effect"
import { amountRule, amountText, readAmount } from "../input/amount.ts"
import { asked, refusedValue } from "../input/asked.ts"
import { momentText } from "../input/moment.ts"
import type { Answer } from "../output/answer.ts"
import { type Column, fields, table } from "../output/table.ts"
import { creditsDocument } from "./projectAnswer.ts"

const balanceAnswer = (projectId: string, balance: Balance): Answer => ({
  document: { projectId, ...creditsDocument(balance) },
  lines: (paint) =>
    fields(
      [
        ["remaining", paint("bold", amountText(remainingOf(balance)))],
        ["used", amountText(balance.used)],
        ["held", amountText(balance.held)],
        ["granted", amountText(balance.granted)]
      ],
      paint
    )
})

const askedCredits = (amount: string) =>
  asked("<credits>", `${amountRule}, and at least 1`, amount, (given) => Option.filter(readAmount(given), (wanted) => wanted > 0n))

/** Grants credits to a project. */
export const grantCredits = (projectId: string, amount: string) =>
  Effect.gen(function* () {
    const credits = yield* askedCredits(amount)
    const provisioning = yield* Provisioning
    return balanceAnswer(projectId, yield* provisioning.grant(projectId, credits))
  })

/** Takes granted credits of a project back. */
export const withdrawCredits = (projectId: string, amount: string) =>
  Effect.gen(function* () {
    const credits = yield* askedCredits(amount)
    const provisioning = yield* Provisioning
    return balanceAnswer(projectId, yield* provisioning.withdraw(projectId, credits))
  })

/** Shows what a project was granted, used, holds, and what remains. */
export const showCredits = (projectId: string) =>
  Effect.gen(function* () {
    const project = yield* Effect.flatMap(Accounts, (accounts) => accounts.project(projectId))
    return balanceAnswer(projectId, yield* Effect.flatMap(Ledger, (ledger) => ledger.balance(project)))
  })

const columns: ReadonlyArray<Column<JournalEntry>> = [
  { head: "entry", cell: ({ entry }) => `${entry}`, align: "right" },
  { head: "at", cell: ({ atMs }, paint) => paint("dim", momentText(atMs)) },
  { head: "kind", cell: ({ kind }) => kind },
  { head: "credits", cell: ({ credits }, paint) => paint("bold", amountText(credits)), align: "right" },
  { head: "hold", cell: ({ holdId }) => holdId ?? "" }
]

const documentOf = ({ atMs, credits, entry, holdId, kind }: JournalEntry) => ({
  entry,
  at: momentText(atMs),
  kind,
  credits,
  holdId
})

const mostEntries = 1_000

/** Shows a page of a project's journal, newest first. */
export const showJournal = (projectId: string, amount: number, before: Option.Option<number>) =>
  Effect.gen(function* () {
    if (amount < 1 || amount > mostEntries) {
      return yield* refusedValue("--amount", `from 1 to ${mostEntries}`, `${amount}`)
    }
    const beforeEntry = Option.getOrUndefined(before)
    if (beforeEntry !== undefined && beforeEntry < 1) return yield* refusedValue("--before", "1 or more", `${beforeEntry}`)
    const page = beforeEntry === undefined ? { projectId, amount } : { projectId, amount, beforeEntry }
    const entries = yield* Effect.flatMap(Accounts, (accounts) => accounts.journal(page))
    const last = entries.length === amount ? entries.at(-1)?.entry : undefined
    const next = last === undefined || last === 1 ? null : last
    const answer: Answer = {
      document: { projectId, entries: entries.map(documentOf), nextBefore: next },
      lines: (paint) => [
        ...table(entries, columns, "no entries", paint),
        ...(next === null ? [] : [paint("dim", `older ones: --before ${next}`)])
      ]
    }
    return answer
  })
