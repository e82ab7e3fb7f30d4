/** A project that an embedding server finds again at every start, with its key in a file. */
import { Accounts, checkedGrant, checkedName, Directory, Keys, type NewProject, Provisioning } from "@sibyl/core"
import { checkedSlug } from "@sibyl/core/internal"
import { Effect, Redacted } from "effect"
import { keyFileInvalid, keyInFile } from "./keyFile.ts"

/** Which project, and the file of its key. */
export interface EnsureProjectOptions extends NewProject {
  /** The file of the key, made with mode 0600: the database has only a hash of it. Keep it out of version control. */
  readonly keyFile: string
  /** Granted when the project is made, and not again. Default none. */
  readonly credits?: bigint
}

/** An existing project with a valid key. */
export interface EnsuredProject {
  readonly projectId: string
  readonly key: string
  /** Names the key to `rotateKey` and `revokeKey`. */
  readonly apiKeyId: string
  /** Whether this call made the project. */
  readonly isNew: boolean
}

const ownerOf = (keyFile: string, key: string) =>
  Effect.flatMap(Directory, (directory) => directory.authenticate(Redacted.make(key))).pipe(
    Effect.mapError(() =>
      keyFileInvalid(keyFile, "holds no valid key of this database (another one's, revoked or expired): remove it, and a new key is made")
    ),
    Effect.map(({ apiKeyId, project }) => ({ apiKeyId, projectId: project.projectId }))
  )

/** The organization's oldest project of this name, or without a name if none is given. */
const findProject = ({ name = null, organizationSlug }: EnsureProjectOptions) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const slug = yield* checkedSlug(organizationSlug)
    const wanted = yield* checkedName("name", name)
    const projects = yield* Effect.orElseSucceed(accounts.projects(slug), () => [])
    return projects.find((project) => project.name === wanted)?.projectId
  })

const makeProject = ({ credits = 0n, ...options }: EnsureProjectOptions) =>
  Effect.gen(function* () {
    const provisioning = yield* Provisioning
    // First: a project without its credits would be found by the next start, which grants none.
    const granted = credits === 0n ? 0n : yield* checkedGrant(credits)
    const { projectId } = yield* provisioning.createProject(options)
    if (granted !== 0n) yield* provisioning.grant(projectId, granted)
    return projectId
  })

/** A new key of the organization's project of this name, which is made where it is missing. */
const makeKey = (options: EnsureProjectOptions) =>
  Effect.gen(function* () {
    const there = yield* findProject(options)
    const projectId = there ?? (yield* makeProject(options))
    const issued = yield* (yield* Keys).issue(projectId, { name: "key file" })
    const made: EnsuredProject = { projectId, key: Redacted.value(issued.key), apiKeyId: issued.apiKeyId, isNew: there === undefined }
    return made
  })

/**
 * The project of the key in `keyFile`. Without that file: the organization's project of this name, or else a new one, with
 * a new key, which is written there. Settings of a project that is there already stay as they are.
 */
export const ensureProject = (options: EnsureProjectOptions) =>
  Effect.gen(function* () {
    const found = yield* keyInFile(options.keyFile, makeKey(options))
    if ("made" in found) return found.made
    const known: EnsuredProject = { ...(yield* ownerOf(options.keyFile, found.kept)), key: found.kept, isNew: false }
    return known
  })
