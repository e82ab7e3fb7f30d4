/** A worker that starts and exits at its first order, for tests of the pool. */
import { parentPort } from "node:worker_threads"

parentPort.on("message", () => process.exit(7))
parentPort.postMessage({ kind: "ready" })
