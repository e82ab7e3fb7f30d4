/** The transaction that writes when keys were last used. */
import type { Plan } from "../database/plan.ts"
import type { Procedure } from "../database/procedure.ts"
import { type Dialect, query } from "../database/query.ts"

/** Keys by id, and when each was used, in ms since the Unix epoch. */
export type KeyUses = ReadonlyArray<readonly [apiKeyId: string, usedAtMs: number]>

function* writeUses(_dialect: Dialect, uses: KeyUses): Plan<void> {
  yield uses.map(
    ([apiKeyId, usedAtMs]) => query`
      UPDATE api_keys SET last_used_at_ms = ${usedAtMs}
      WHERE api_key_id = ${apiKeyId} AND (last_used_at_ms IS NULL OR last_used_at_ms < ${usedAtMs})`
  )
}

/** Writes uses that are later than what is known. */
export const keyUsesProcedure: Procedure<KeyUses, void> = { name: "key uses", plan: writeUses }
