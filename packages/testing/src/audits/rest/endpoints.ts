/** Every endpoint of the interface and whether it needs a key, independent of the contract of a service. */
import type { Target } from "./target.ts"

/** The facts that say whether a service has what it need not have. */
export type Feature = "hasTickets" | "hasRecordings" | "hasKeyList" | "hasProgramRecords" | "hasDurableFeeds"

/** One endpoint. */
export interface Endpoint {
  readonly method: "GET" | "POST" | "DELETE"
  /** A parameter is prefixed by a colon. */
  readonly path: string
  /** Interface, "Authentication". */
  readonly needsKey: boolean
  /** The fact of the target that says whether a service has it; without one, every service does. */
  readonly partOf?: Feature
}

/** All endpoints. */
export const endpoints: ReadonlyArray<Endpoint> = [
  { method: "GET", path: "/execute", needsKey: true },
  { method: "POST", path: "/execute", needsKey: true },
  { method: "GET", path: "/execute/last-result", needsKey: true },
  { method: "POST", path: "/execute/last-result", needsKey: true },
  { method: "GET", path: "/data-request-reports", needsKey: true },
  { method: "POST", path: "/feeds", needsKey: true, partOf: "hasDurableFeeds" },
  { method: "POST", path: "/tickets", needsKey: true, partOf: "hasTickets" },
  { method: "GET", path: "/feeds", needsKey: true, partOf: "hasDurableFeeds" },
  { method: "GET", path: "/feeds/:feed_id", needsKey: true, partOf: "hasDurableFeeds" },
  { method: "DELETE", path: "/feeds/:feed_id", needsKey: true, partOf: "hasDurableFeeds" },
  { method: "GET", path: "/executions/:id/recording", needsKey: true, partOf: "hasRecordings" },
  { method: "GET", path: "/verify", needsKey: true },
  { method: "GET", path: "/project", needsKey: true },
  { method: "GET", path: "/keys", needsKey: true, partOf: "hasKeyList" },
  { method: "GET", path: "/programs", needsKey: true, partOf: "hasProgramRecords" },
  { method: "GET", path: "/programs/:program", needsKey: true, partOf: "hasProgramRecords" },
  { method: "GET", path: "/data-proxy/:public_key", needsKey: false },
  { method: "GET", path: "/info", needsKey: false },
  { method: "GET", path: "/health", needsKey: false },
  { method: "GET", path: "/ready", needsKey: false }
]

/** The endpoints of a target: without those of what it says that it lacks. */
export const endpointsOf = (target: Target): ReadonlyArray<Endpoint> =>
  endpoints.filter(({ partOf }) => partOf === undefined || target[partOf] !== false)
