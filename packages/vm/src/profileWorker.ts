/** The entry of a thread that profiles one pass: its order is the thread's data, its report the one message. */
import { parentPort, workerData } from "node:worker_threads"
import { profilePass, type ProfileOrder } from "./profile/profilePass.ts"
import type { ProfileReport } from "./profile/profileReport.ts"

const resultOf = (order: ProfileOrder): ProfileReport => {
  try {
    return profilePass(order)
  } catch (fault) {
    return { kind: "defect", message: fault instanceof Error ? (fault.stack ?? fault.message) : String(fault) }
  }
}

parentPort?.postMessage(resultOf(workerData as ProfileOrder))
