/** The location of the writer's compiled code: `dist`, both for published packages and for tests that run from source. */
import { createRequire } from "node:module"

/** The path of the thread's file. Throws if the package has not been built. */
export const writerFile = (): string => createRequire(import.meta.url).resolve("@sibyl/sql/writer")
