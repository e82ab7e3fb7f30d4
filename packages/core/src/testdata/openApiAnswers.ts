/** What the OpenAPI document says about a response, as a client reads it: documented, or what is wrong. */
import type { ServiceResponse } from "../edge/transport/seam.ts"
import { openApiDocument } from "../edge/docs/docs.ts"
import { type JsonSchema, schemaChecker } from "./jsonSchema.ts"

interface Operation {
  readonly responses: Readonly<Record<string, { readonly content?: { readonly "application/json": { readonly schema: JsonSchema } } }>>
}

const document = JSON.parse(JSON.stringify(openApiDocument())) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> }
}

const check = schemaChecker(document.components.schemas)

/** Checks any value against one schema of the document: what is wrong, empty if nothing is. */
export const schemaBreaches = (name: string, value: unknown): ReadonlyArray<string> =>
  check({ $ref: `#/components/schemas/${name}` }, value)

/** Every operation with its statuses: `GET /execute 200`. */
export const documentedAnswers: ReadonlyArray<string> = Object.entries(document.paths).flatMap(([path, operations]) =>
  Object.entries(operations).flatMap(([method, { responses }]) =>
    Object.keys(responses).map((status) => `${method.toUpperCase()} ${path} ${status}`)
  )
)

const pathOf = (path: string): string | undefined =>
  Object.keys(document.paths).find((pattern) => new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path))

/** The request and response in the document's terms, and what is wrong with the response. */
export interface ReadAnswer {
  /** `GET /execute 200`. */
  readonly name: string
  readonly breaches: ReadonlyArray<string>
}

/** Reads the response to a request of one of the document's paths; `undefined` for another path or an unsupported method. */
export const readAnswer = (method: string, path: string, response: ServiceResponse): ReadAnswer | undefined => {
  const pattern = pathOf(path)
  const operation = pattern === undefined ? undefined : document.paths[pattern]?.[method.toLowerCase()]
  if (operation === undefined) return undefined
  const name = `${method} ${pattern} ${response.status}`
  const documented = operation.responses[String(response.status)]
  if (documented === undefined) return { name, breaches: [`${name} is not documented`] }
  const json = /^application\/json(?:;|$)/.test(response.headers["content-type"] ?? "")
  if (!json || documented.content === undefined) return { name, breaches: [`${name} is not declared as JSON`] }
  return { name, breaches: check(documented.content["application/json"].schema, JSON.parse(String(response.body))) }
}
