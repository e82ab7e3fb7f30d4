/** How deep programs may recurse. */

/**
 * The stack of a worker in MB. Node gives 1.4 million trivial frames with it; Bun ignores it and gives some 8,000. The
 * pages are only used when a program recurses that deep.
 */
export const stackSizeMb = 64
