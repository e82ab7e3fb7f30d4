/** The port through which an operator sets up organizations, projects and credits. */
import { Context, type Effect, Either } from "effect"
import type { Balance } from "../domain/credits/balance.ts"
import { checkedName } from "../domain/settings/displayName.ts"
import { InvalidSetting } from "../domain/settings/invalidSetting.ts"
import { checkedSlug, type Organization } from "../domain/accounts/organization.ts"
import type { Project } from "../domain/accounts/project.ts"
import { changedSettings, defaultSettings, type ProjectSettings, type SettingChanges } from "../domain/accounts/projectSettings.ts"
import type { OrganizationExists, ProjectNotFound } from "./accountErrors.ts"

/** A new organization; its name defaults to its slug. */
export interface NewOrganization {
  readonly organizationSlug: string
  readonly name?: string | null
}

/** The settings of a new project; absent ones take their defaults (no usage limit, every program, no credits). */
export interface NewProject extends SettingChanges {
  readonly organizationSlug: string
  readonly name?: string | null
}

/** What is to change of a project; what is left out stays as it is. */
export interface ProjectChange extends SettingChanges {
  readonly name?: string | null
}

/** The checked form of a {@link NewOrganization}. */
export const checkedOrganization = ({
  name = null,
  organizationSlug
}: NewOrganization): Either.Either<Pick<Organization, "organizationSlug" | "name">, InvalidSetting> =>
  Either.all({ organizationSlug: checkedSlug(organizationSlug), name: checkedName("name", name) })

/** The checked form of a {@link NewProject}, defaults filled in. */
export const checkedProject = (
  project: NewProject
): Either.Either<{ readonly organizationSlug: string; readonly name: string | null; readonly settings: ProjectSettings }, InvalidSetting> =>
  Either.all({
    organizationSlug: checkedSlug(project.organizationSlug),
    name: checkedName("name", project.name ?? null),
    settings: changedSettings(defaultSettings, project)
  })

/** The amount of a grant: not negative. */
export const checkedGrant = (credits: bigint): Either.Either<bigint, InvalidSetting> =>
  credits < 0n ? Either.left(new InvalidSetting({ field: "credits", rule: "must not be negative" })) : Either.right(credits)

/** Sets up organizations, projects and credits. A change is in force from the next request on, everywhere. */
export class Provisioning extends Context.Tag("@sibyl/core/Provisioning")<
  Provisioning,
  {
    readonly createOrganization: (organization: NewOrganization) => Effect.Effect<Organization, InvalidSetting | OrganizationExists>
    /** Projects of one slug belong to one organization, which comes into being with its first project if not before. */
    readonly createProject: (project: NewProject) => Effect.Effect<Project, InvalidSetting>
    /** Answers the project as it is from now on; a change that breaks a rule changes nothing. */
    readonly updateProject: (projectId: string, change: ProjectChange) => Effect.Effect<Project, InvalidSetting | ProjectNotFound>
    /** Adds to what was granted. */
    readonly grant: (projectId: string, credits: bigint) => Effect.Effect<Balance, InvalidSetting | ProjectNotFound>
  }
>() {}
