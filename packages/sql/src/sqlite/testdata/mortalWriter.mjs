/** The thread that writes, which ends when the test says so on the channel named like the database. */
import { BroadcastChannel, workerData } from "node:worker_threads"
import "@sibyl/sql/writer"

const channel = new BroadcastChannel(workerData.settings.filename)
channel.onmessage = () => process.exit(7)
channel.unref()
