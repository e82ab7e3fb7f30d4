/** The route table, built once from the contract: no route is listed by hand. */
import * as HttpApi from "@effect/platform/HttpApi"
import type { HttpApiEndpoint } from "@effect/platform/HttpApiEndpoint"
import type { HttpApiGroup } from "@effect/platform/HttpApiGroup"
import { Api, BearerKey } from "../../contract/api.ts"
import { webSocketPath } from "../../contract/rpc.ts"
import { splitTarget } from "../transport/target.ts"

type GroupOf<A> = A extends HttpApi.HttpApi<string, infer Group, infer _E, infer _R> ? Group : never

/** The names of the endpoints in groups that require a key, or in those that do not. */
type NameIn<Group, NeedsKey extends boolean> =
  Group extends HttpApiGroup<string, infer Endpoint, infer _E, infer R, boolean>
    ? [BearerKey] extends [R]
      ? NeedsKey extends true
        ? NameOf<Endpoint>
        : never
      : NeedsKey extends true
        ? never
        : NameOf<Endpoint>
    : never

type NameOf<Endpoint> = Endpoint extends HttpApiEndpoint.Any & { readonly name: infer Name extends string } ? Name : never

/** The endpoints that require a key. */
export type KeyedName = NameIn<GroupOf<typeof Api>, true>

/** The endpoints that require none, and those that are added to the contract. */
export type OpenName = NameIn<GroupOf<typeof Api>, false> | (typeof addedRoutes)[number][1]

/** One endpoint, by its name in the contract; `needsKey` comes from the contract. */
export type Route =
  | { readonly method: string; readonly needsKey: true; readonly name: KeyedName }
  | { readonly method: string; readonly needsKey: false; readonly name: OpenName }

/** Routes by path, then by method. */
export type RouteTable = ReadonlyMap<string, ReadonlyMap<string, Route>>

/** The documentation and the WebSocket path are not part of the REST contract, so they are added here. */
const addedRoutes = [
  ["/docs", "docs"],
  ["/docs/openapi.json", "openApi"],
  ["/docs/asyncapi.json", "asyncApi"],
  ["/docs/websocket", "webSocketDocs"],
  ["/docs/errors", "errorDocs"],
  [webSocketPath, "webSocket"]
] as const

/** Builds the table from the contract. */
export const routesOf = (): RouteTable => {
  const table = new Map<string, Map<string, Route>>(
    addedRoutes.map(([path, name]) => [path, new Map<string, Route>([["GET", { name, method: "GET", needsKey: false }]])])
  )
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, middleware }) => {
      const needsKey = [...middleware].some(({ key }) => key === BearerKey.key)
      const methods = table.get(endpoint.path) ?? new Map<string, Route>()
      // Types and values come from the same contract, so a name always belongs to the type of its flag.
      methods.set(endpoint.method, { name: endpoint.name, method: endpoint.method, needsKey } as Route)
      table.set(endpoint.path, methods)
    }
  })
  return table
}

/** A matched request target: the routes and the parameters (still percent-encoded) of its path, and its query. */
export interface MatchedTarget {
  /** The path as the table has it, with its parameters' names. */
  readonly pattern: string
  readonly methods: ReadonlyMap<string, Route>
  readonly parameters: Readonly<Record<string, string>>
  readonly query: string
}

const noParameters: MatchedTarget["parameters"] = {}

/** The parameters of `path` if it matches `pattern`, in which `:name` matches one segment that is not empty. */
const parametersOf = (pattern: string, path: string): MatchedTarget["parameters"] | undefined => {
  const [wanted, given] = [pattern.split("/"), path.split("/")]
  if (wanted.length !== given.length) return undefined
  const fits = wanted.every((part, at) => (part.startsWith(":") ? given[at] !== "" : part === given[at]))
  if (!fits) return undefined
  return Object.fromEntries(wanted.flatMap((part, at) => (part.startsWith(":") ? [[part.slice(1), given[at] ?? ""]] : [])))
}

/** Splits a target and finds the routes of its path; `undefined` if the service has no such path. */
export const matchTarget = (table: RouteTable, target: string): MatchedTarget | undefined => {
  const { path, query } = splitTarget(target)
  const exact = path.includes("/:") ? undefined : table.get(path)
  if (exact !== undefined) return { pattern: path, methods: exact, parameters: noParameters, query }
  for (const [pattern, methods] of table) {
    const parameters = pattern.includes("/:") ? parametersOf(pattern, path) : undefined
    if (parameters !== undefined) return { pattern, methods, parameters, query }
  }
  return undefined
}

/** The methods of a path, as listed in the `Allow` header. */
export const allowedMethods = (methods: ReadonlyMap<string, Route>): string =>
  [...methods.keys(), ...(headRoute(methods) === undefined ? [] : ["HEAD"])].toSorted().join(", ")

/** The route of a HEAD: that of the GET, unless the GET executes a program. */
export const headRoute = (methods: ReadonlyMap<string, Route>): Route | undefined => {
  const route = methods.get("GET")
  return route?.name === "execute" ? undefined : route
}
