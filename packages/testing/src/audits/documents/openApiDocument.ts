/** The OpenAPI document of a service, as the audits use it: its operations, and whether an answer is as documented. */
import { type Check, holds } from "../check.ts"
import { type Answer, at, send } from "../rest/call.ts"
import type { Target } from "../rest/target.ts"
import { schemaJudgeOf } from "./schemaJudge.ts"

/** One operation of the document. */
export interface Operation {
  readonly path: string
  /** In lowercase, as documents have it. */
  readonly method: string
  readonly description: unknown
}

/** The document, read once. */
export interface OpenApiDocument {
  readonly operations: ReadonlyArray<Operation>
  /** Checks that an answer has a documented status, and a body that is valid for it. */
  readonly describes: (what: string, operation: Pick<Operation, "path" | "method">, answer: Answer) => ReadonlyArray<Check>
}

const methods = new Set(["get", "post", "put", "patch", "delete", "head", "options"])

/** Asks for the document. */
export const openApiOf = async (target: Target): Promise<OpenApiDocument> => {
  const { json } = await send(target, { path: "/docs/openapi.json", key: null })
  const judge = schemaJudgeOf(json, "2020-12")
  const operations = Object.entries(Object(at(json, "paths"))).flatMap(([path, item]) =>
    Object.entries(Object(item)).flatMap(([method, description]) => (methods.has(method) ? [{ path, method, description }] : []))
  )
  return {
    operations,
    describes: (what, { method, path }, answer) => {
      const place = ["paths", path, method, "responses", String(answer.status)]
      const isDocumented = at(json, ...place) !== undefined
      return [
        holds(`${what}: ${answer.status} is documented`, isDocumented, `${method} ${path}`),
        ...(isDocumented
          ? [judge(`${what}: the body is as documented`, [...place, "content", "application/json", "schema"], answer.json)]
          : [])
      ]
    }
  }
}
