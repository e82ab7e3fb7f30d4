/** A worker that starts and exits at its first order, for tests of the pool. */
import { workerData } from "node:worker_threads"

const { port } = workerData
port.on("message", () => process.exit(7))
port.postMessage({ kind: "ready" })
