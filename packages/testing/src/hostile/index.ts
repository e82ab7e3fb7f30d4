/** Hostile programs of our own making: what any server of the protocol must outlive. */
import type { Bomb } from "./bomb.ts"
import { computing } from "./computing.ts"
import { hostCalls } from "./hostCalls.ts"
import { invalidModules } from "./invalidModules.ts"
import { malformedModules } from "./malformedModules.ts"
import { movingMemory } from "./movingMemory.ts"
import { output } from "./output.ts"
import { recursive } from "./recursion.ts"
import { traps } from "./traps.ts"
import { unsupportedModules } from "./unsupportedModules.ts"
import { uselessModules } from "./uselessModules.ts"

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
