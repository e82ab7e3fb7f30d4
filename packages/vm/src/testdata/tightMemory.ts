/** A program that takes more memory to compile than a worker process has left. */
import { compileBomb } from "./compileBombs.ts"

const major = Number(process.versions.node.split(".")[0])

/**
 * A worker process that has nothing to do has 71 MiB on Node 20, 84 on 22, 86 to 91 on 24 and 86 on 26, and at most 99, 131, 106 and 103 while it
 * compiles {@link greedy}. Bun calls itself a Node of some version, and has less.
 */
export const tightMemoryMib = major > 20 && process.versions["bun"] === undefined ? 96 : 80

/** Takes half a second to compile. */
export const greedy = compileBomb.nestedLoops(60, 300)
