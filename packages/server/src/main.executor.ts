/** The process of an executor, on Node and on Bun, which `sibyl cluster` starts. */
import { runExecutor } from "./cluster/runExecutor.ts"

runExecutor()
