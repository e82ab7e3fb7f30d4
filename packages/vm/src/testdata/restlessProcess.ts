/** A worker process whose second thread works without an order, as an engine does that compiles what nobody runs any more. */
import { isMainThread } from "node:worker_threads"
import { supervise } from "../workers/supervision.ts"

if (isMainThread) supervise(import.meta.url, { keptPrograms: 1, maxMib: 4_096, serverPid: process.ppid })
else for (;;) Math.sqrt(2)
