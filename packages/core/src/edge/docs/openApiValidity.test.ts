/** The OpenAPI document is valid for two third-party validators, with an example and without one. */
import { validate } from "@readme/openapi-parser"
import { Validator } from "@seriousme/openapi-schema-validator"
import { describe, expect, it } from "vitest"
import type { DocumentedExample } from "./documentedExample.ts"
import { openApiDocument } from "./docs.ts"

const example: DocumentedExample = { execProgramId: "ab".repeat(32), execInputs: { id: "x" }, drId: "cd".repeat(32) }

/** A fresh copy of what is served, since a validator may resolve references in place. */
const served = (shown?: DocumentedExample) => JSON.parse(JSON.stringify(openApiDocument(shown))) as ReturnType<typeof openApiDocument>

const verdicts = async (document: ReturnType<typeof served> | Readonly<Record<string, unknown>>) => {
  const one = await new Validator().validate({ ...document })
  const other = await validate(structuredClone(document) as never)
  return [one.valid, other.valid]
}

describe.each([
  ["without an example", undefined],
  ["with an example", example]
] as const)("%s", (_name, shown) => {
  it("is valid", async () => {
    expect(await verdicts(served(shown))).toEqual([true, true])
  })

  it("has a summary and a description for every operation, a meaning for every parameter", () => {
    for (const [path, methods] of Object.entries(served(shown).paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const name = `${method} ${path}`
        expect([name, operation.summary ?? ""]).toEqual([name, expect.stringMatching(/^[A-Z].{10,60}[^.]$/)])
        expect([name, operation.description ?? ""]).toEqual([name, expect.stringMatching(/.{20}/)])
        for (const { description, name: parameter } of operation.parameters) {
          expect([name, parameter, description ?? ""]).toEqual([name, parameter, expect.stringMatching(/\S.{15}/)])
          expect([parameter, (description ?? "").startsWith("must")]).toEqual([parameter, false])
        }
      }
    }
  })
})

it("the validators detect an invalid document", async () => {
  const document = served()
  const unnamed = { ...document, info: { ...document.info, title: 7 } }
  expect(await verdicts(unnamed)).toEqual([false, false])
})

it("marks required parameters", () => {
  const { components, paths } = served()
  expect(paths["/execute"]?.get?.parameters.filter(({ required }) => required).map(({ name }) => name)).toEqual(["execProgramId"])
  const body = paths["/execute"]?.post?.requestBody
  expect([body?.required, JSON.stringify(body)]).toEqual([true, expect.stringContaining(`"required":["execProgramId"]`)])
  expect(Object.keys(components.schemas)).toContain("Programs")
})
