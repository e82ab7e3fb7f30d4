/** The OpenAPI document is valid and complete, and declares only answers that are sent (decision D20). */
import { describe, expect, it } from "vitest"
import { openApiDocument } from "../edge/docs/docs.ts"
import { routesOf } from "../edge/rest/routes.ts"
import { apiVersion } from "./api.ts"
import * as Errors from "./errors.ts"

interface Operation {
  readonly operationId: string
  readonly security: ReadonlyArray<object>
  readonly parameters: ReadonlyArray<{ readonly name: string; readonly in: string }>
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: unknown }>>
}

const document = JSON.parse(JSON.stringify(openApiDocument())) as {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string }
  readonly servers: ReadonlyArray<{ readonly url: string }>
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, unknown>>; readonly securitySchemes: unknown }
}

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation }))
)

/** Every value of every member with this name, at any depth. */
const valuesOf = (name: string, value: unknown): ReadonlyArray<unknown> => {
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, member]) => [...(key === name ? [member as unknown] : []), ...valuesOf(name, member)])
}

/** The tags that the answers of one status can have, from the schemas. */
const tagsOf = (value: unknown): ReadonlyArray<unknown> => {
  const text = JSON.stringify(value)
  const named = [...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map((match) => match[1])
  return named.toSorted()
}

/** The statuses of each endpoint; a new endpoint adds its line. */
const statuses: Readonly<Record<string, string>> = {
  "GET /execute": "200 400 401 403 404 414 429 500 503 599",
  "POST /execute": "200 400 401 403 404 408 413 414 415 422 429 500 503 599",
  "GET /verify": "200 401 403 414 500 503",
  "GET /project": "200 401 403 414 500 503",
  "GET /info": "200 414 500 503",
  "GET /ready": "200 414 500 503",
  "GET /health": "200 414 500 503",
  "GET /data-proxy/{public_key}": "200 400 414 500 503"
}

describe("the OpenAPI document", () => {
  it("has version 3.1, the contract's version, and a relative server address", () => {
    expect(document.openapi).toBe("3.1.0")
    expect(document.info.version).toBe(apiVersion)
    expect(document.info.title).not.toBe("")
    expect(document.servers).toEqual([{ url: ".." }])
    expect(document.components.securitySchemes).toEqual({ bearer: { type: "http", scheme: "bearer" } })
  })

  it("has exactly the routes of the contract", () => {
    const documented = operations.map(({ name }) => name)
    // The documentation and the WebSocket interface are not part of the REST contract.
    const outside = /^GET \/(?:docs|ws)(?:\/|$)/
    const served = [...routesOf()].flatMap(([path, methods]) =>
      [...methods.keys()].map((method) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`)
    )
    expect(documented.toSorted()).toEqual(served.filter((route) => !outside.test(route)).toSorted())
  })

  it("has every status of each endpoint", () => {
    const byName = Object.fromEntries(operations.map(({ name, operation }) => [name, Object.keys(operation.responses).join(" ")]))
    expect(byName).toMatchObject(statuses)
  })

  it("lists for every status the errors declared with it", () => {
    const declared = new Map(
      Object.values(Errors).map((error): readonly [string, number] => [new error({ message: "" })._tag, error.status])
    )
    for (const { name, operation } of operations) {
      for (const [status, response] of Object.entries(operation.responses)) {
        const tags = tagsOf(response).filter((tag): tag is string => declared.has(String(tag)))
        for (const tag of tags) expect(`${tag} ${declared.get(tag)}`, name).toBe(`${tag} ${status}`)
        if (status.startsWith("4")) expect(tags.length, `${name} ${status}`).toBeGreaterThan(0)
      }
    }
  })

  it("requires a key where one is needed", () => {
    for (const { name, operation } of operations) {
      const open = ["GET /info", "GET /ready", "GET /health", "GET /data-proxy/{public_key}"].includes(name)
      expect(operation.security ?? [], name).toEqual(open ? [] : [{ bearer: [] }])
      expect("401" in operation.responses, name).toBe(!open)
    }
  })

  it("has no dangling reference and no unused schema", () => {
    const schemas = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`)
    const references = new Set(valuesOf("$ref", document))
    expect([...references].filter((reference) => !schemas.includes(String(reference)))).toEqual([])
    expect(schemas.filter((schema) => !references.has(schema))).toEqual([])
  })

  it("does not contain the platform's own decoding error, which is never sent", () => {
    expect(JSON.stringify(document)).not.toContain("HttpApiDecodeError")
  })

  it("has unique operation ids, unique parameters, and a description of every answer", () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { operation } of operations) {
      const parameters = operation.parameters.map((parameter) => `${parameter.in} ${parameter.name}`)
      expect(new Set(parameters).size).toBe(parameters.length)
      for (const response of Object.values(operation.responses)) expect(response.description).not.toBe("")
    }
  })
})
