/** A project that an embedding server finds again at every start, with its key in a file. */
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { Accounts, checkedName, Directory, Keys, type NewProject, Provisioning } from "@sibyl/core"
import { checkedSlug } from "@sibyl/core/internal"
import { Data, Effect, Redacted } from "effect"

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

/** The key file is invalid. */
export class KeyFileInvalid extends Data.TaggedError("KeyFileInvalid")<{
  readonly keyFile: string
  readonly message: string
}> {}

const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : String(cause)

const keyFileInvalid = (keyFile: string, why: string): KeyFileInvalid =>
  new KeyFileInvalid({ keyFile, message: `the key file ${keyFile} ${why}` })

/** The key; `undefined` if there is no file yet. */
const readKey = (keyFile: string): Effect.Effect<string | undefined, KeyFileInvalid> =>
  Effect.tryPromise({ try: () => readFile(keyFile, "utf8"), catch: codeOf }).pipe(
    Effect.map((text) => text.trim()),
    Effect.catchAll((code) => (code === "ENOENT" ? Effect.succeed(undefined) : keyFileInvalid(keyFile, `cannot be read (${code})`)))
  )

/** Never overwrites an existing file, which might be the only copy of another key. */
const writeKey = (keyFile: string, key: string): Effect.Effect<void, KeyFileInvalid> =>
  Effect.tryPromise({
    try: async () => {
      await mkdir(dirname(keyFile), { recursive: true })
      await writeFile(keyFile, `${key}\n`, { mode: 0o600, flag: "wx" })
    },
    catch: (cause) => keyFileInvalid(keyFile, `cannot be written (${codeOf(cause)})`)
  })

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
    const { projectId } = yield* provisioning.createProject(options)
    if (credits !== 0n) yield* provisioning.grant(projectId, credits)
    return projectId
  })

/**
 * The project of the key in `keyFile`. Without that file: the organization's project of this name, or else a new one, with
 * a new key, which is written there. Settings of a project that is there already stay as they are.
 */
export const ensureProject = (options: EnsureProjectOptions) =>
  Effect.gen(function* () {
    const { keyFile } = options
    const kept = yield* readKey(keyFile)
    if (kept !== undefined) {
      const found: EnsuredProject = { ...(yield* ownerOf(keyFile, kept)), key: kept, isNew: false }
      return found
    }
    const there = yield* findProject(options)
    const projectId = there ?? (yield* makeProject(options))
    const keys = yield* Keys
    const issued = yield* keys.issue(projectId, { name: "key file" })
    const key = Redacted.value(issued.key)
    yield* writeKey(keyFile, key)
    const made: EnsuredProject = { projectId, key, apiKeyId: issued.apiKeyId, isNew: there === undefined }
    return made
  })
