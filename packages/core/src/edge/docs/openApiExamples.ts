/** Puts an example into the OpenAPI document, which the interactive page sends when it is tried. */
import type { OpenAPISpec, OpenAPISpecOperation, OpenAPISpecParameter } from "@effect/platform/OpenApi"
import { type DocumentedExample, inputText } from "./documentedExample.ts"

/** The generator point of the curve: a valid key, registered or not. */
const somePublicKey = "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"

type Values = Readonly<Record<string, unknown>>

const withValues = (parameters: ReadonlyArray<OpenAPISpecParameter>, values: Values): Array<OpenAPISpecParameter> =>
  parameters.map((parameter) => (values[parameter.name] === undefined ? parameter : { ...parameter, example: values[parameter.name] }))

const withBody = (operation: OpenAPISpecOperation, values: Values): OpenAPISpecOperation => {
  const { requestBody } = operation
  const media = requestBody?.content["application/json"]
  if (requestBody === undefined || media === undefined) return operation
  const content = { ...requestBody.content, "application/json": { ...media, example: values } }
  return { ...operation, requestBody: { ...requestBody, content, required: true } }
}

const given = (values: Values): Values => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))

/** The example body of each path that takes one. */
const bodiesOf = (execution: Values): Readonly<Record<string, Values>> => ({
  "/execute": execution,
  "/execute/last-result": execution,
  "/feeds": { execute: execution, mode: "FIXED", periodicityMs: 60_000 },
  "/tickets": { expiresInMs: 60_000, maxUses: 1, allow: ["execute", "read"] }
})

/** The document with an example in every operation that takes one; if no program is deployed, only in those that need none. */
export const withExamples = (spec: OpenAPISpec, example: DocumentedExample | undefined): OpenAPISpec => {
  const inBody = given({ execProgramId: example?.execProgramId, execInputs: example?.execInputs })
  const encoding = example?.execInputs === undefined ? undefined : "json"
  const inQuery = { ...inBody, execInputs: example === undefined ? undefined : inputText(example), encoding }
  const others = { drId: example?.drId, public_key: somePublicKey }
  const bodies = bodiesOf(inBody)
  const changed = (path: string, method: string, operation: OpenAPISpecOperation): OpenAPISpecOperation => {
    const values = { ...others, ...(method === "post" ? { encoding } : inQuery) }
    const parameters = withValues(operation.parameters, values)
    const withParameters = { ...operation, parameters }
    const body = bodies[path]
    return method === "post" && example !== undefined && body !== undefined ? withBody(withParameters, body) : withParameters
  }
  const paths = Object.fromEntries(
    Object.entries(spec.paths).map(([path, methods]) => [
      path,
      Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, changed(path, method, operation)]))
    ])
  )
  return { ...spec, paths }
}
