/** The sizes above which a module is refused before any engine sees it. */

/**
 * Chosen well above what compilers emit for a program of at most 1 MiB, and low enough that no module within them is too expensive for the
 * host. Memory pages and program bytes are limits of the service.
 *
 * `functionCode`, `moduleCode`, `functionLoops` and `moduleLoops` are in the units of {@link CompileCost}. Measured for hostile modules
 * just within them, metered, on Node 20 (V8 11.3) and Bun 1.4 (test: `compileCost.test.ts`): a function takes V8's baseline compiler at
 * most 150 MB and 0.2 s of processor time, its optimising compiler at most 250 MB and 1.2 s; JavaScriptCore stays below 150 MB and 1 s. V8
 * optimises up to four functions at a time. `bench/bombs/search.mjs` searches for worse ones. Real code, before loops, their depth, indirect calls
 * and calls of the engine had a price of their own: the example programs use 0.2 million units of code in their largest function and 0.8
 * million in total, 210 in loops; a vector renderer of 2.4 MB written in Rust, more than twice the size limit of a program, uses 6.0
 * million (in a function of 129 kB; 2.7 million in the next) and 65 million in total, 51 thousand in the loops of a function and 170
 * thousand in total.
 */
export const moduleBounds = {
  types: 10_000,
  /** One less than the engines accept (WebAssembly JavaScript interface, limits): the fast build adds the gas. */
  parameters: 999,
  results: 999,
  imports: 1_000,
  functions: 20_000,
  /** Declared locals of one function, without parameters. */
  localsOfFunction: 20_000,
  /** Declared locals of all functions. */
  locals: 1_000_000,
  /** Nesting depth of blocks. */
  nesting: 2_000,
  branchTargets: 65_520,
  tables: 16,
  /** Entries of one table, initially and after any growth. */
  tableElements: 65_536,
  globals: 10_000,
  exports: 10_000,
  elementSegments: 10_000,
  /** Entries of all element segments. */
  elements: 200_000,
  dataSegments: 20_000,
  /** Cost of compiling: code of one function and of all, loops of one function and of all. */
  functionCode: 6_500_000,
  moduleCode: 80_000_000,
  functionLoops: 200_000,
  moduleLoops: 400_000,
  /** Bytes of one metered function: the engines' common limit (WebAssembly JavaScript interface, limits). */
  meteredBodyBytes: 7_654_321
} as const

/** The maximum pages of a 32-bit memory. */
export const addressablePages = 65_536
