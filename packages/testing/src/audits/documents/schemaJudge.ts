/** Judges JSON values by the schemas of a document that a service serves about itself: OpenAPI 3.1 or AsyncAPI 3. */
import { Ajv, type ErrorObject } from "ajv"
import { Ajv2020 } from "ajv/dist/2020.js"
import { type Check, holds } from "../check.ts"

/** How the schemas of a document are to be read: OpenAPI 3.1 has those of 2020-12, AsyncAPI 3 those of draft 7. */
export type Dialect = "2020-12" | "draft-07"

/** Checks a value by the schema at a place of the document. A place without a schema is a failed check. */
export type SchemaJudge = (what: string, place: ReadonlyArray<string>, value: unknown) => Check

const documentId = "https://audited.invalid/document"

const pointerTo = (place: ReadonlyArray<string>): string =>
  place.map((name) => `/${encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"))}`).join("")

const shownErrors = (errors: ReadonlyArray<ErrorObject> | null | undefined): ReadonlyArray<string> =>
  (errors ?? []).slice(0, 5).map(({ instancePath, message, params }) => `${instancePath} ${message ?? ""} ${JSON.stringify(params)}`)

/** Formats are not looked at: the audits of the fields know them better. */
const options = { strict: false, validateFormats: false, validateSchema: false, allErrors: true, logger: false } as const

/** Makes the judge of a document. */
export const schemaJudgeOf = (document: unknown, dialect: Dialect): SchemaJudge => {
  const ajv = dialect === "2020-12" ? new Ajv2020(options) : new Ajv(options)
  if (typeof document !== "object" || document === null) return (what) => holds(`${what}: there is a document`, false, document)
  ajv.addSchema(document, documentId)
  return (what, place, value) => {
    try {
      const isValid = ajv.compile({ $ref: `${documentId}#${pointerTo(place)}` })
      return holds(what, isValid(value), shownErrors(isValid.errors))
    } catch (cause) {
      return holds(what, false, String(cause))
    }
  }
}
