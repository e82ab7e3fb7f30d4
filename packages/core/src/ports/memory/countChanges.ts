/** Counts changes of the stores in memory: if two counts are equal, nothing has changed in between. */
import { Effect } from "effect"
import type { MemoryState } from "./memoryState.ts"

type Method = (...args: ReadonlyArray<never>) => Effect.Effect<unknown, unknown, unknown>

/**
 * A store whose method calls count as changes when they end, except for those that only read. If it stores settings, they count as
 * changes of settings too.
 */
export const countChanges = <Store extends object>(
  state: MemoryState,
  store: Store,
  reading: ReadonlyArray<keyof Store>,
  what: "settings" | "runs" = "runs"
): Store => {
  const counted =
    (method: Method): Method =>
    (...args) =>
      Effect.ensuring(
        Effect.suspend(() => method(...args)),
        Effect.sync(() => {
          state.changes.count += 1
          if (what === "settings") state.changes.settings += 1
        })
      )
  const methods = Object.entries(store).map(([name, method]) => {
    const isReading = typeof method !== "function" || reading.some((known) => known === name)
    return [name, isReading ? (method as unknown) : counted(method as Method)]
  })
  return Object.fromEntries(methods) as Store
}
