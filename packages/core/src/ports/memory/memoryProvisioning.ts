/** Setting up organizations, projects and credits, in memory. */
import { Clock, type Context, Effect } from "effect"
import { checkedName } from "../../domain/settings/displayName.ts"
import type { Organization } from "../../domain/accounts/organization.ts"
import { changedSettings } from "../../domain/accounts/projectSettings.ts"
import { uuidOf } from "../../domain/encoding/uuid.ts"
import { OrganizationExists, ProjectNotFound } from "../accountErrors.ts"
import type { Entropy } from "../entropy.ts"
import { withdrawnOf } from "../makeLedger.ts"
import { checkedGrant, checkedOrganization, checkedProject, type ProjectChange, type Provisioning } from "../provisioning.ts"
import { balanceOf, performOperation } from "./memoryLedger.ts"
import { existing, type MemoryState, noCredits } from "./memoryState.ts"

const addOrganization = (state: MemoryState, organization: Organization): Organization => {
  state.organizations.set(organization.organizationSlug, organization)
  return organization
}

const updateProject = (state: MemoryState, projectId: string, change: ProjectChange) =>
  Effect.gen(function* () {
    const project = state.projects.get(projectId)
    if (project === undefined) return yield* new ProjectNotFound({ projectId })
    const notes = existing(state.projectNotes, projectId, "project")
    const name = yield* checkedName("name", change.name === undefined ? notes.name : change.name)
    const changed = { ...project, ...(yield* changedSettings(project, change)) }
    state.projectNotes.set(projectId, { ...notes, name })
    state.projects.set(projectId, changed)
    return changed
  })

const grant = (state: MemoryState, projectId: string, amount: bigint) =>
  Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const project = state.projects.get(projectId)
    if (project === undefined) return yield* new ProjectNotFound({ projectId })
    const credits = yield* checkedGrant(amount)
    performOperation(state, { kind: "grant", projectId, credits }, nowMs)
    return balanceOf(state, project, nowMs)
  })

const withdraw = (state: MemoryState, projectId: string, amount: bigint) =>
  Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const project = state.projects.get(projectId)
    if (project === undefined) return yield* new ProjectNotFound({ projectId })
    const credits = yield* checkedGrant(amount)
    yield* withdrawnOf(performOperation(state, { kind: "withdraw", projectId, credits }, nowMs))
    return balanceOf(state, project, nowMs)
  })

/** Provisioning over a state. */
export const memoryProvisioning = (state: MemoryState, entropy: Context.Tag.Service<Entropy>): Context.Tag.Service<Provisioning> => ({
  createOrganization: (wanted) =>
    Effect.gen(function* () {
      const organizationId = uuidOf(yield* entropy.bytes(16))
      const createdAtMs = yield* Clock.currentTimeMillis
      const { name, organizationSlug } = yield* checkedOrganization(wanted)
      if (state.organizations.has(organizationSlug)) return yield* new OrganizationExists({ organizationSlug })
      return addOrganization(state, { organizationId, organizationSlug, name, createdAtMs })
    }),
  createProject: (wanted) =>
    Effect.gen(function* () {
      const bytes = yield* entropy.bytes(32)
      const createdAtMs = yield* Clock.currentTimeMillis
      const { name, organizationSlug, settings } = yield* checkedProject(wanted)
      const { organizationId } =
        state.organizations.get(organizationSlug) ??
        addOrganization(state, {
          organizationId: uuidOf(bytes.subarray(0, 16)),
          organizationSlug,
          name: null,
          createdAtMs
        })
      const project = { projectId: uuidOf(bytes.subarray(16)), organizationId, organizationSlug, ...settings }
      state.projects.set(project.projectId, project)
      state.projectNotes.set(project.projectId, { name, createdAtMs })
      state.credits.set(project.projectId, noCredits())
      return project
    }),
  updateProject: (projectId, change) => updateProject(state, projectId, change),
  grant: (projectId, credits) => grant(state, projectId, credits),
  withdraw: (projectId, credits) => withdraw(state, projectId, credits)
})
