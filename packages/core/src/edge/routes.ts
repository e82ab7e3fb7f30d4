/** The static route table, walked once out of the contract: no route is kept by hand. */
import * as HttpApi from "@effect/platform/HttpApi"
import { Api, BearerKey } from "../contract/api.ts"
import { webSocketPath } from "../contract/rpc.ts"

/** One endpoint of the contract. */
export interface Route {
  /** The endpoint's name in the contract. */
  readonly name: string
  readonly method: string
  readonly needsKey: boolean
}

/** Path to the routes of that path, by method. */
export type RouteTable = ReadonlyMap<string, ReadonlyMap<string, Route>>

/** The documentation is no part of what it documents, nor is the WebSocket interface of the REST contract: they are added here. */
const addedRoutes: ReadonlyArray<readonly [path: string, name: string]> = [
  ["/docs", "docs"],
  ["/docs/openapi.json", "openApi"],
  ["/docs/asyncapi.json", "asyncApi"],
  ["/docs/websocket", "webSocketDocs"],
  [webSocketPath, "webSocket"]
]

/** Walks the contract. */
export const routesOf = (): RouteTable => {
  const table = new Map<string, Map<string, Route>>(
    addedRoutes.map(([path, name]) => [path, new Map([["GET", { name, method: "GET", needsKey: false }]])])
  )
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, middleware }) => {
      const needsKey = [...middleware].some(({ key }) => key === BearerKey.key)
      const methods = table.get(endpoint.path) ?? new Map<string, Route>()
      methods.set(endpoint.method, { name: endpoint.name, method: endpoint.method, needsKey })
      table.set(endpoint.path, methods)
    }
  })
  return table
}

/** The methods of a path as the `Allow` header lists them. */
export const allowedMethods = (methods: ReadonlyMap<string, Route>): string =>
  [...methods.keys(), ...(headRoute(methods) === undefined ? [] : ["HEAD"])].toSorted().join(", ")

/** The route of a HEAD: that of the GET, unless it executes something. */
export const headRoute = (methods: ReadonlyMap<string, Route>): Route | undefined => {
  const route = methods.get("GET")
  return route?.name === "execute" ? undefined : route
}
