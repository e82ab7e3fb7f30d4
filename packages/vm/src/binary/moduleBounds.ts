/** The sizes above which a module is refused before any engine sees it. */

/**
 * Chosen well above what compilers emit for a program of at most 1 MiB, and low enough that the worst module within
 * them costs the host tens of megabytes, not gigabytes. Memory pages and program bytes are limits of the service.
 */
export const moduleBounds = {
  types: 10_000,
  parameters: 1_000,
  results: 1_000,
  imports: 1_000,
  functions: 20_000,
  /** Parameters not counted; declared locals of one function. */
  localsOfFunction: 20_000,
  /** Declared locals of all functions together. */
  locals: 1_000_000,
  /** Blocks inside blocks. */
  nesting: 2_000,
  branchTargets: 65_520,
  tables: 16,
  /** Entries of one table, at its start and after any growth. */
  tableElements: 65_536,
  globals: 10_000,
  exports: 10_000,
  elementSegments: 10_000,
  /** Entries of all element segments together. */
  elements: 200_000,
  dataSegments: 20_000,
  /** Bytes of one metered function: the engines' common limit (WebAssembly JavaScript interface, limits). */
  meteredBodyBytes: 7_654_321
} as const

/** The most pages that a 32-bit memory can declare. */
export const addressablePages = 65_536
