/** The port through which an operator reads organizations, projects and the history of their credits. */
import { Context, type Effect, Either } from "effect"
import { InvalidSetting } from "../domain/settings/invalidSetting.ts"
import type { JournalEntry } from "../domain/credits/journalEntry.ts"
import type { Organization } from "../domain/accounts/organization.ts"
import type { Project } from "../domain/accounts/project.ts"
import type { OrganizationNotFound, ProjectNotFound } from "./accountErrors.ts"
import type { PlacedReport } from "./resultStore.ts"

/** A project with the fields that only its operator needs. */
export interface ListedProject extends Project {
  readonly name: string | null
  readonly createdAtMs: number
}

/** Selects a page of a project's journal. */
export interface JournalQuery {
  readonly projectId: string
  /** Only entries before this one; if absent, starts at the newest. */
  readonly beforeEntry?: number
  /** How many entries at most, 1 to 1,000. */
  readonly amount: number
}

/** Selects a page of a project's runs. */
export interface RunsQuery {
  readonly projectId: string
  /** Only runs stored before the one with this `sequence`; if absent, starts at the newest. */
  readonly beforeSequence?: number
  /** How many runs at most, 1 to 100, because each is a complete report. */
  readonly amount: number
}

const maxJournalPage = 1_000
const maxRunsPage = 100

/** The checked form of a {@link RunsQuery}: its bounds as integers. */
export const checkedRunsQuery = ({
  amount,
  beforeSequence = Number.MAX_SAFE_INTEGER
}: RunsQuery): Either.Either<Required<Omit<RunsQuery, "projectId">>, InvalidSetting> => {
  if (!Number.isInteger(amount) || amount < 1 || amount > maxRunsPage) {
    return Either.left(new InvalidSetting({ field: "amount", rule: `must be an integer from 1 to ${maxRunsPage}` }))
  }
  return Number.isSafeInteger(beforeSequence) && beforeSequence >= 1
    ? Either.right({ amount, beforeSequence })
    : Either.left(new InvalidSetting({ field: "beforeSequence", rule: "must be an integer of 1 or more" }))
}

/** The checked form of a {@link JournalQuery}: its bounds as integers. */
export const checkedJournalQuery = ({
  amount,
  beforeEntry = Number.MAX_SAFE_INTEGER
}: JournalQuery): Either.Either<Required<Omit<JournalQuery, "projectId">>, InvalidSetting> => {
  if (!Number.isInteger(amount) || amount < 1 || amount > maxJournalPage) {
    return Either.left(new InvalidSetting({ field: "amount", rule: `must be an integer from 1 to ${maxJournalPage}` }))
  }
  return Number.isSafeInteger(beforeEntry) && beforeEntry >= 1
    ? Either.right({ amount, beforeEntry })
    : Either.left(new InvalidSetting({ field: "beforeEntry", rule: "must be an integer of 1 or more" }))
}

/** Reads accounts. Lists are oldest first; the balance is the `Ledger`'s. */
export class Accounts extends Context.Tag("@sibyl/core/Accounts")<
  Accounts,
  {
    readonly organizations: Effect.Effect<ReadonlyArray<Organization>>
    /** The projects of one organization, or all. */
    readonly projects: (organizationSlug?: string) => Effect.Effect<ReadonlyArray<ListedProject>, OrganizationNotFound>
    readonly project: (projectId: string) => Effect.Effect<ListedProject, ProjectNotFound>
    /** A page of the journal, newest first. The next page starts before this page's last `entry`. */
    readonly journal: (query: JournalQuery) => Effect.Effect<ReadonlyArray<JournalEntry>, InvalidSetting | ProjectNotFound>
    /**
     * A page of the project's kept runs of any request, newest first in the order in which they were kept. It goes on
     * before the page's last `sequence`.
     */
    readonly runs: (query: RunsQuery) => Effect.Effect<ReadonlyArray<PlacedReport>, InvalidSetting | ProjectNotFound>
  }
>() {}
