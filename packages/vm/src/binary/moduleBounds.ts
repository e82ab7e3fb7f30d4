/** The sizes above which a module is refused before any engine sees it. */

/**
 * Chosen well above what compilers emit for a program of at most 1 MiB, and low enough that no module within them is too expensive for the
 * host. Memory pages and program bytes are limits of the service.
 *
 * `functionCode`, `moduleCode`, `functionLoops` and `moduleLoops` are in the units of {@link CompileCost}; the squares of all functions'
 * code are bounded together by that of `functionCode`. The worst modules that `bench/bombs/search.mjs` has found just within them take all
 * compilers of an engine 1.3 s of processor time and 180 MiB on Node 20 (V8 11.3), 1.7 s and 140 MiB on Bun 1.4, with every function hot,
 * in the fast build; in the exact build 0.8 and 1.0 s (docs/BENCHMARKS.md). Real code, in millions of units: the example programs use 0.2 in their largest
 * function and 0.8 in total; SQLite (688 kB) 1.6 and 27, the squares together 6.7; QuickJS (503 kB) 1.3, 18 and 3.1; RE2 (859 kB) 1.0, 23
 * and 2.8; in loops up to 25 thousand in a function and 95 thousand in total. A vector renderer of 2.4 MB written in Rust, more than
 * twice the size limit of a program, is refused: 6.0 in its largest function, 67 in total.
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
  functionCode: 4_000_000,
  moduleCode: 60_000_000,
  functionLoops: 200_000,
  moduleLoops: 400_000,
  /** Bytes of one metered function: the engines' common limit (WebAssembly JavaScript interface, limits). */
  meteredBodyBytes: 7_654_321
} as const

/** The maximum pages of a 32-bit memory. */
export const addressablePages = 65_536
