/** Everything of the core that other packages build on. */
export * from "./domain/bytes.ts"
export * from "./domain/limits.ts"
export * from "./domain/programId.ts"
export * from "./edge/seam.ts"
export * from "./ports/httpFetch.ts"
export * from "./ports/programRuntime.ts"
export * from "./ports/programStore.ts"
