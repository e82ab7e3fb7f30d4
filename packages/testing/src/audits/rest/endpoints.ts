/** Every endpoint of the interface and whether it needs a key, written out: the contract of one service could have lost one. */

/** One endpoint. */
export interface Endpoint {
  readonly method: "GET" | "POST"
  /** A parameter in it stands behind a colon. */
  readonly path: string
  /** Interface, "Authentication". */
  readonly needsKey: boolean
}

/** All of them. */
export const endpoints: ReadonlyArray<Endpoint> = [
  { method: "GET", path: "/execute", needsKey: true },
  { method: "POST", path: "/execute", needsKey: true },
  { method: "GET", path: "/execute/last-result", needsKey: true },
  { method: "POST", path: "/execute/last-result", needsKey: true },
  { method: "GET", path: "/data-request-reports", needsKey: true },
  { method: "GET", path: "/verify", needsKey: true },
  { method: "GET", path: "/project", needsKey: true },
  { method: "GET", path: "/programs", needsKey: true },
  { method: "GET", path: "/data-proxy/:public_key", needsKey: false },
  { method: "GET", path: "/info", needsKey: false },
  { method: "GET", path: "/health", needsKey: false },
  { method: "GET", path: "/ready", needsKey: false }
]
