/** Errors of operators that name organizations, projects and keys. */
import { Data } from "effect"

/** No organization has this slug. */
export class OrganizationNotFound extends Data.TaggedError("OrganizationNotFound")<{
  readonly organizationSlug: string
}> {
  override get message(): string {
    return `there is no organization ${this.organizationSlug}`
  }
}

/** The slug is taken. */
export class OrganizationExists extends Data.TaggedError("OrganizationExists")<{
  readonly organizationSlug: string
}> {
  override get message(): string {
    return `there is an organization ${this.organizationSlug} already`
  }
}

/** No project has this id. */
export class ProjectNotFound extends Data.TaggedError("ProjectNotFound")<{ readonly projectId: string }> {
  override get message(): string {
    return `there is no project ${this.projectId}`
  }
}

/** No key has this public id. */
export class KeyNotFound extends Data.TaggedError("KeyNotFound")<{ readonly apiKeyId: string }> {
  override get message(): string {
    // A text that is no public id may be a whole key, and messages end up in logs.
    return /^[0-9a-f]{12}$/.test(this.apiKeyId) ? `there is no key ${this.apiKeyId}` : "there is no key with this public id"
  }
}

/** The key is no longer valid, so it cannot be rotated: issue a new one. */
export class KeyEnded extends Data.TaggedError("KeyEnded")<{
  readonly apiKeyId: string
  readonly state: "expired" | "revoked"
}> {
  override get message(): string {
    return `the key ${this.apiKeyId} is ${this.state}`
  }
}
