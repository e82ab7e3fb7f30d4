/** The last timestamps of results, by project and drId. */
import type { LedgerChanges, StoredTime } from "@sibyl/core"
import type { Row, RowShape } from "../database/manyRows.ts"

/** The columns of a last timestamp. */
export interface TimeRow {
  readonly project_id: string
  readonly dr_id: string
  readonly last_ms: number | string
  readonly owner: string | null
  readonly floor_ms: number | string
}

/** How last timestamps are written. */
export const timeRows: RowShape = {
  table: "timestamps",
  columns: ["project_id", "dr_id", "last_ms", "owner", "floor_ms"],
  onConflict:
    "ON CONFLICT (project_id, dr_id) DO UPDATE SET last_ms = excluded.last_ms, owner = excluded.owner, floor_ms = excluded.floor_ms"
}

/** The last timestamp of a row. */
export const timeOfRow = ({ floor_ms, last_ms, owner }: TimeRow): StoredTime => ({
  lastMs: Number(last_ms),
  owner,
  floorMs: Number(floor_ms)
})

/** The rows of a project's changes. */
export const timeRowsOf = ({ projectId, times }: Pick<LedgerChanges, "projectId" | "times">): ReadonlyArray<Row> =>
  times.map(({ drId, floorMs, lastMs, owner }) => [projectId, drId, lastMs, owner, floorMs])
