/** Every endpoint of the interface and whether it needs a key, independent of the contract of a service. */

/** One endpoint. */
export interface Endpoint {
  readonly method: "GET" | "POST" | "DELETE"
  /** A parameter is prefixed by a colon. */
  readonly path: string
  /** Interface, "Authentication". */
  readonly needsKey: boolean
}

/** All endpoints. */
export const endpoints: ReadonlyArray<Endpoint> = [
  { method: "GET", path: "/execute", needsKey: true },
  { method: "POST", path: "/execute", needsKey: true },
  { method: "GET", path: "/execute/last-result", needsKey: true },
  { method: "POST", path: "/execute/last-result", needsKey: true },
  { method: "GET", path: "/data-request-reports", needsKey: true },
  { method: "POST", path: "/feeds", needsKey: true },
  { method: "POST", path: "/tickets", needsKey: true },
  { method: "GET", path: "/feeds", needsKey: true },
  { method: "GET", path: "/feeds/:feed_id", needsKey: true },
  { method: "DELETE", path: "/feeds/:feed_id", needsKey: true },
  { method: "GET", path: "/executions/:id/recording", needsKey: true },
  { method: "GET", path: "/verify", needsKey: true },
  { method: "GET", path: "/project", needsKey: true },
  { method: "GET", path: "/keys", needsKey: true },
  { method: "GET", path: "/programs", needsKey: true },
  { method: "GET", path: "/programs/:program", needsKey: true },
  { method: "GET", path: "/data-proxy/:public_key", needsKey: false },
  { method: "GET", path: "/info", needsKey: false },
  { method: "GET", path: "/health", needsKey: false },
  { method: "GET", path: "/ready", needsKey: false }
]
