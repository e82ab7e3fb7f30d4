/** Who a key belongs to and what its project has left, as `GET /verify` and the `authorized` notification show it. */
import { Effect } from "effect"
import type { VerifyRecord } from "../../contract/records.ts"
import { isoOrNull } from "../../domain/encoding/isoText.ts"
import { remainingOf } from "../../domain/credits/balance.ts"
import type { Principal } from "../../domain/accounts/project.ts"
import { Ledger } from "../../ports/ledger.ts"

/** The record of a key, with the current balance. */
export const verifyRecordOf = ({
  apiKeyExpiresAtMs,
  apiKeyId,
  project
}: Principal): Effect.Effect<typeof VerifyRecord.Type, never, Ledger> =>
  Effect.gen(function* () {
    const balance = yield* (yield* Ledger).balance(project)
    return {
      apiKeyId,
      apiKeyExpiresAt: isoOrNull(apiKeyExpiresAtMs),
      organizationId: project.organizationId,
      organizationSlug: project.organizationSlug,
      projectId: project.projectId,
      remainingCreditsSnapshot: String(remainingOf(balance)),
      usedCreditsSnapshot: String(balance.used)
    }
  })
