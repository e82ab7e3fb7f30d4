/** Hostile programs of our own making: what any server of the protocol must outlive. */
import type { Bomb } from "./bomb.ts"
import { computing, movingMemory, recursive } from "./computing.ts"
import { invalidModules, malformedModules, unsupportedModules, uselessModules } from "./modules.ts"
import { hostCalls, output } from "./output.ts"
import { traps } from "./traps.ts"

export type { Bomb, BombEnd } from "./bomb.ts"
export { traps } from "./traps.ts"

/** All of them. */
export const bombs: ReadonlyArray<Bomb> = [
  ...computing,
  ...movingMemory,
  ...recursive,
  ...output,
  ...hostCalls,
  ...traps,
  ...malformedModules,
  ...invalidModules,
  ...unsupportedModules,
  ...uselessModules
]
