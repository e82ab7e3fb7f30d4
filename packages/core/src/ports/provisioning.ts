/** The port through which an operator sets up organizations, projects and credits. */
import { Context, type Effect, Either } from "effect"
import type { InsufficientCredits } from "../contract/errors.ts"
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

/** What to change in a project; absent members stay as they are. */
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

const isBigint = (value: unknown): value is bigint => typeof value === "bigint"

/** The amount of a grant or a withdrawal, a bigint that is not negative. */
export const checkedGrant = (credits: bigint): Either.Either<bigint, InvalidSetting> =>
  !isBigint(credits)
    ? Either.left(new InvalidSetting({ field: "credits", rule: "must be a bigint" }))
    : credits < 0n
      ? Either.left(new InvalidSetting({ field: "credits", rule: "must not be negative" }))
      : Either.right(credits)

/** Sets up organizations, projects and credits. A change applies from the next request on, on every server. */
export class Provisioning extends Context.Tag("@sibyl/core/Provisioning")<
  Provisioning,
  {
    readonly createOrganization: (organization: NewOrganization) => Effect.Effect<Organization, InvalidSetting | OrganizationExists>
    /** The organization of the slug is created with its first project if it does not exist. */
    readonly createProject: (project: NewProject) => Effect.Effect<Project, InvalidSetting>
    /** Returns the changed project; a change that breaks a rule changes nothing. */
    readonly updateProject: (projectId: string, change: ProjectChange) => Effect.Effect<Project, InvalidSetting | ProjectNotFound>
    /** Increases the granted credits. */
    readonly grant: (projectId: string, credits: bigint) => Effect.Effect<Balance, InvalidSetting | ProjectNotFound>
    /**
     * Decreases the granted credits, by no more than what remains: what was used or is held stays granted. Where what servers keep for their
     * runs is in the way, they are asked for it, and the error's details have `isRecalling`: a later attempt may be carried out.
     */
    readonly withdraw: (
      projectId: string,
      credits: bigint
    ) => Effect.Effect<Balance, InvalidSetting | ProjectNotFound | InsufficientCredits>
  }
>() {}
