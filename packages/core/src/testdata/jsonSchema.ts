/** A checker for the subset of JSON Schema that our OpenAPI document uses; an unknown keyword is a violation. */

/** A schema of the document. */
export type JsonSchema = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isOfType = (type: unknown, value: unknown): boolean => {
  if (Array.isArray(type)) return type.some((one) => isOfType(one, value))
  switch (type) {
    case "object":
      return isObject(value)
    case "array":
      return Array.isArray(value)
    case "integer":
      return Number.isInteger(value)
    case "null":
      return value === null
    default:
      return typeof value === type
  }
}

/** Annotations without a rule. `format` only names what `pattern` requires. */
const silent: ReadonlySet<string> = new Set(["$id", "title", "description", "summary", "format", "required"])

type Rule = (wanted: unknown, value: unknown, schema: JsonSchema, at: string) => ReadonlyArray<string>

/** Makes the checker of a document: it returns what is wrong with a value, empty if it matches its schema. */
export const schemaChecker = (schemas: Readonly<Record<string, unknown>>) => {
  const breach = (holds: boolean, at: string, what: string): ReadonlyArray<string> => (holds ? [] : [`${at}: ${what}`])

  const rules: Readonly<Record<string, Rule>> = {
    $ref: (wanted, value, _, at) => {
      const schema = schemas[String(wanted).replace("#/components/schemas/", "")]
      return isObject(schema) ? check(schema, value, at) : [`${at}: ${String(wanted)} leads nowhere`]
    },
    type: (wanted, value, _, at) => breach(isOfType(wanted, value), at, `is no ${String(wanted)}`),
    enum: (wanted, value, _, at) => breach((wanted as ReadonlyArray<unknown>).includes(value), at, "is none of its values"),
    pattern: (wanted, value, _, at) =>
      breach(typeof value !== "string" || new RegExp(String(wanted), "u").test(value), at, `is not ${String(wanted)}`),
    minimum: (wanted, value, _, at) => breach(typeof value !== "number" || value >= Number(wanted), at, "is too small"),
    maximum: (wanted, value, _, at) => breach(typeof value !== "number" || value <= Number(wanted), at, "is too large"),
    items: (wanted, value, _, at) =>
      Array.isArray(value) ? value.flatMap((item, index) => check(wanted as JsonSchema, item, `${at}[${index}]`)) : [],
    anyOf: (wanted, value, _, at) => {
      const each = (wanted as ReadonlyArray<JsonSchema>).map((schema) => check(schema, value, at))
      return each.some((found) => found.length === 0) ? [] : [`${at}: is none of: ${each.flat().join("; ")}`]
    },
    properties: (wanted, value, schema, at) => {
      if (!isObject(value)) return []
      const required = (schema["required"] ?? []) as ReadonlyArray<string>
      const missing = required.filter((name) => !Object.hasOwn(value, name))
      const wrong = Object.entries(wanted as Readonly<Record<string, JsonSchema>>).flatMap(([name, member]) =>
        Object.hasOwn(value, name) ? check(member, value[name], `${at}.${name}`) : []
      )
      // The document leaves objects open for members of later versions; this version must not send any.
      const closed = schema["additionalProperties"] === undefined ? Object.keys(value) : []
      const more = closed.filter((name) => !Object.hasOwn(wanted as object, name))
      return [...missing.map((name) => `${at}.${name}: is missing`), ...wrong, ...more.map((name) => `${at}.${name}: is not documented`)]
    },
    additionalProperties: (wanted, value, schema, at) => {
      if (!isObject(value)) return []
      const known = Object.keys((schema["properties"] ?? {}) as object)
      const more = Object.entries(value).filter(([name]) => !known.includes(name))
      return more.flatMap(([name, member]) => check(wanted as JsonSchema, member, `${at}.${name}`))
    }
  }

  const check = (schema: JsonSchema, value: unknown, at = "body"): ReadonlyArray<string> =>
    Object.entries(schema).flatMap(([keyword, wanted]) => {
      if (silent.has(keyword)) return []
      const rule = rules[keyword]
      return rule === undefined ? [`${at}: the checker does not know ${keyword}`] : rule(wanted, value, schema, at)
    })

  return check
}
