/** Organizations, projects and journals as an operator reads them, in memory. */
import { type Context, Effect } from "effect"
import type { Project } from "../../domain/accounts/project.ts"
import { OrganizationNotFound, ProjectNotFound } from "../accountErrors.ts"
import { type Accounts, checkedJournalQuery, checkedRunsQuery, type ListedProject } from "../accounts.ts"
import { existing, type MemoryState } from "./memoryState.ts"

const recordOf = (state: MemoryState, project: Project): ListedProject => ({
  ...project,
  ...existing(state.projectNotes, project.projectId, "project")
})

/** The accounts over a state. */
export const memoryAccounts = (state: MemoryState): Context.Tag.Service<Accounts> => ({
  organizations: Effect.sync(() => [...state.organizations.values()]),
  projects: (organizationSlug) =>
    Effect.suspend(() => {
      if (organizationSlug !== undefined && !state.organizations.has(organizationSlug)) {
        return new OrganizationNotFound({ organizationSlug })
      }
      const wanted = [...state.projects.values()].filter(
        (project) => organizationSlug === undefined || project.organizationSlug === organizationSlug
      )
      return Effect.succeed(wanted.map((project) => recordOf(state, project)))
    }),
  project: (projectId) =>
    Effect.suspend(() => {
      const project = state.projects.get(projectId)
      return project === undefined ? new ProjectNotFound({ projectId }) : Effect.succeed(recordOf(state, project))
    }),
  journal: (query) =>
    Effect.gen(function* () {
      const { projectId } = query
      if (!state.projects.has(projectId)) return yield* new ProjectNotFound({ projectId })
      const { amount, beforeEntry } = yield* checkedJournalQuery(query)
      const { journal } = existing(state.credits, projectId, "project")
      return journal
        .slice(0, beforeEntry - 1)
        .slice(-amount)
        .toReversed()
    }),
  runs: (query) =>
    Effect.gen(function* () {
      const { projectId } = query
      if (!state.projects.has(projectId)) return yield* new ProjectNotFound({ projectId })
      const { amount, beforeSequence } = yield* checkedRunsQuery(query)
      return [...state.reports.values()]
        .flat()
        .filter(({ position, report }) => report.projectId === projectId && position.sequence < beforeSequence)
        .toSorted((left, right) => right.position.sequence - left.position.sequence)
        .slice(0, amount)
    })
})
