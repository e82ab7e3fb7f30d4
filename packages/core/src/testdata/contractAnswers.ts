/** Whether the contract allows a response: its status is documented for the route and its schema accepts the body. */
import * as HttpApi from "@effect/platform/HttpApi"
import { Option, Schema } from "effect"
import { Api } from "../contract/api.ts"
import * as Errors from "../contract/errors.ts"
import type { ServiceResponse } from "../edge/transport/seam.ts"
import { routesOf } from "../edge/rest/routes.ts"

type Answers = ReadonlyMap<number, Schema.Schema.AnyNoContext>

const documented = new Map<string, Answers>()

HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, errors, successes }) => {
    const answers = [...successes, ...errors].flatMap(([status, { ast }]) =>
      Option.toArray(ast).map((some): readonly [number, Schema.Schema.AnyNoContext] => [status, Schema.make(some)])
    )
    documented.set(`${endpoint.method} ${endpoint.path}`, new Map(answers))
  }
})

/** A path of the table as a pattern: `:name` stands for one segment. */
const patternOf = (path: string): RegExp => new RegExp(`^${path.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll(/:\w+/g, "[^/]+")}$`)

const patterns = [...routesOf().keys()].map((path) => ({ path, pattern: patternOf(path) }))

/** The paths of the service, with variable segments as `:name`. */
export const servedPaths: ReadonlyArray<string> = patterns.map(({ path }) => path)

/** The route's path for the path of a request, `undefined` for an unknown one. */
export const servedPathOf = (path: string): string | undefined => patterns.find(({ pattern }) => pattern.test(path))?.path

/** Outside of the REST contract, for the documentation and the upgrade: any declared error with its own status. */
const declared = Object.values(Errors).map(({ status, wire }): readonly [number, Schema.Schema.AnyNoContext] => [status, wire])

/** Whether the response to a request of a known path is documented: 405 for an unsupported method, else the route's own. */
export const isContractAnswer = (method: string, path: string, { body, headers, status }: ServiceResponse): boolean => {
  if (headers["x-request-id"] === undefined) return false
  if (method === "HEAD") return body === ""
  const value = JSON.parse(String(body)) as unknown
  if (status === 405) return Schema.is(Errors.MethodNotAllowed.wire)(value) && headers["allow"] !== undefined
  const answers = documented.get(`${method} ${path}`)
  if (answers === undefined) return declared.some(([known, wire]) => known === status && Schema.is(wire)(value))
  const schema = answers.get(status)
  return schema !== undefined && Schema.is(Schema.encodedSchema(schema))(value)
}
