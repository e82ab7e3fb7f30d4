/** One kind of step of a simulation. */
import type { World } from "../world/world.ts"

/** What may happen next, how often, and under which condition. */
export interface Step {
  readonly name: string
  readonly weight: number
  /** Absent: always. */
  readonly mayRun?: (world: World) => boolean
  readonly run: (world: World) => Promise<void> | void
}
