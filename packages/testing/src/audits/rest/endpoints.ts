/** Every endpoint that needs a key (interface, "Authentication"), written out: the contract of one service could have lost one. */

/** One endpoint. */
export interface KeyedRoute {
  readonly method: "GET" | "POST"
  readonly path: string
}

/** All of them. */
export const keyedRoutes: ReadonlyArray<KeyedRoute> = [
  { method: "GET", path: "/execute" },
  { method: "POST", path: "/execute" },
  { method: "GET", path: "/execute/last-result" },
  { method: "POST", path: "/execute/last-result" },
  { method: "GET", path: "/data-request-reports" },
  { method: "GET", path: "/verify" },
  { method: "GET", path: "/project" },
  { method: "GET", path: "/programs" }
]
