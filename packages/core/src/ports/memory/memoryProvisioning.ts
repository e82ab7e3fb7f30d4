/** Projects, keys and credits as an operator sets them up, in memory. */
import { type Context, Effect, Redacted } from "effect"
import { apiKeyEntropyBytes, makeApiKey } from "../../domain/apiKey.ts"
import { type Entropy, uuidOf } from "../entropy.ts"
import { projectOf, type Provisioning } from "../provisioning.ts"
import { StoreDefect } from "../storeDefect.ts"
import { balanceOf } from "./memoryLedger.ts"
import { existing, type MemoryState } from "./memoryState.ts"

/** Provisioning over a state. */
export const memoryProvisioning = (
  state: MemoryState,
  entropy: Context.Tag.Service<Entropy>
): Context.Tag.Service<Provisioning> => ({
  createProject: (wanted) =>
    Effect.map(entropy.bytes(32), (bytes) => {
      const organizationId = state.organizations.get(wanted.organizationSlug) ?? uuidOf(bytes.subarray(0, 16))
      const project = projectOf({ projectId: uuidOf(bytes.subarray(16)), organizationId }, wanted)
      state.organizations.set(wanted.organizationSlug, organizationId)
      state.projects.set(project.projectId, project)
      state.accounts.set(project.projectId, { granted: 0n, used: 0n, held: 0n })
      return project
    }),
  issueKey: (projectId, options) =>
    Effect.map(entropy.bytes(apiKeyEntropyBytes), (bytes) => {
      const { apiKeyId, hash, key } = makeApiKey(state.network, bytes)
      existing(state.projects, projectId, "project")
      state.keys.set(apiKeyId, { apiKeyId, projectId, hash, expiresAtMs: options?.expiresAtMs ?? null, revoked: false })
      return { apiKeyId, key: Redacted.make(key) }
    }),
  revokeKey: (apiKeyId) =>
    Effect.sync(() => {
      state.keys.set(apiKeyId, { ...existing(state.keys, apiKeyId, "key"), revoked: true })
    }),
  grant: (projectId, credits) =>
    Effect.flatMap(Effect.clock, (clock) =>
      Effect.sync(() => {
        if (credits < 0n) throw new StoreDefect(`a grant of ${credits} credits`)
        const account = existing(state.accounts, projectId, "project")
        state.accounts.set(projectId, { ...account, granted: account.granted + credits })
        return balanceOf(state, existing(state.projects, projectId, "project"), clock.unsafeCurrentTimeMillis())
      })
    )
})
