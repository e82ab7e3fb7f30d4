/** Makes the OpenAPI document fit for generated clients: answers may gain members, and each says what it means (decisions D13, D46). */
import type { OpenAPISpec, OpenAPISpecOperation } from "@effect/platform/OpenApi"
import { type ErrorMeaning, errorMeanings } from "../../contract/errorMeanings.ts"

const meanings: Readonly<Record<string, ErrorMeaning>> = errorMeanings

/** Every object is open, as the service's own reading is: a strict client would otherwise break when a member is added. */
const withOpenObjects = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withOpenObjects)
  if (typeof value !== "object" || value === null) return value
  const members = Object.entries(value).filter(([name, member]) => !(name === "additionalProperties" && member === false))
  return Object.fromEntries(members.map(([name, member]) => [name, withOpenObjects(member)]))
}

/** The names of the schemas that an answer may have, in the document's order. */
const schemasOf = (answer: unknown): ReadonlyArray<string> =>
  [...JSON.stringify(answer).matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name = ""]) => name)

/** What an answer means by its schemas: the causes of errors. The platform's own words know only how it would have decoded a request. */
const descriptionOf = (answer: unknown): string | undefined => {
  const told = schemasOf(answer).flatMap((name) => {
    const cause = name === "FailedExecutionResponse" ? "the program ended with a non-zero exit code" : meanings[name]?.cause
    return cause === undefined ? [] : [`${name}: ${cause}`]
  })
  return told.length === 0 ? undefined : told.join(". ")
}

const withMeanings = ({ responses, ...operation }: OpenAPISpecOperation): OpenAPISpecOperation => {
  const described = Object.entries(responses).map(([status, answer]) => {
    const description = descriptionOf(answer)
    return [status, description === undefined ? answer : { ...answer, description }] as const
  })
  return { ...operation, responses: Object.fromEntries(described) }
}

/** The document with open objects and described answers. */
export const withClearAnswers = (spec: OpenAPISpec): OpenAPISpec => {
  const open = withOpenObjects(spec) as OpenAPISpec
  const paths = Object.entries(open.paths).map(([path, methods]) => [
    path,
    Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, withMeanings(operation)]))
  ])
  return { ...open, paths: Object.fromEntries(paths) }
}
