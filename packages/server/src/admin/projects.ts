/** Projects, as `sibyl project` creates, changes and shows them. */
import { Accounts, Ledger, Provisioning } from "@sibyl/core"
import { Effect, Option } from "effect"
import { askedSlug } from "../input/slug.ts"
import type { Answer } from "../output/answer.ts"
import { UsageError } from "../output/failure.ts"
import { table } from "../output/table.ts"
import { namingOptions } from "./namingOptions.ts"
import { programIdOfWord } from "./programNames.ts"
import { projectAnswer, projectColumns, projectDocument } from "./projectAnswer.ts"
import { projectChanges, type ProjectOptions } from "./projectChanges.ts"

/** Shows one project with its balance. */
export const showProject = (projectId: string) =>
  Effect.gen(function* () {
    const project = yield* Effect.flatMap(Accounts, (accounts) => accounts.project(projectId))
    return projectAnswer(project, yield* Effect.flatMap(Ledger, (ledger) => ledger.balance(project)))
  })

/** The changes, with names on the allow-list resolved to ids. */
const namedChanges = (options: ProjectOptions, projectId?: string) =>
  Effect.gen(function* () {
    const changes = yield* projectChanges(options)
    const { allowedPrograms } = changes
    if (allowedPrograms === undefined || allowedPrograms === null) return changes
    const ids = yield* Effect.forEach(allowedPrograms, (word) => programIdOfWord("--allow", word, projectId))
    return { ...changes, allowedPrograms: ids }
  })

/** Creates a project, and its organization if there is none with this slug. */
export const createProject = (organization: string, options: ProjectOptions) =>
  Effect.gen(function* () {
    const organizationSlug = yield* askedSlug("--org", organization)
    const changes = yield* namedChanges(options)
    const provisioning = yield* Provisioning
    const { projectId } = yield* namingOptions(provisioning.createProject({ ...changes, organizationSlug }))
    return yield* showProject(projectId)
  })

/** Changes a project. */
export const updateProject = (projectId: string, options: ProjectOptions) =>
  Effect.gen(function* () {
    const changes = yield* namedChanges(options, projectId)
    if (Object.keys(changes).length === 0) {
      return yield* new UsageError({ message: "nothing to change: say at least one option, see --help" })
    }
    const provisioning = yield* Provisioning
    yield* namingOptions(provisioning.updateProject(projectId, changes))
    return yield* showProject(projectId)
  })

/** Lists all projects, or those of one organization. */
export const listProjects = (organizationSlug: Option.Option<string>) =>
  Effect.map(
    Effect.flatMap(Accounts, ({ projects }) => projects(Option.getOrUndefined(organizationSlug))),
    (projects): Answer => ({
      document: { projects: projects.map(projectDocument) },
      lines: (paint) => table(projects, projectColumns, "no projects yet: sibyl project create makes one", paint)
    })
  )
