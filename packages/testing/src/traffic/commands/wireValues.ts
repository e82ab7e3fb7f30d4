/** Values as they are sent, derived from the contract's schemas: those that a schema accepts, and those that it nearly accepts. */
import { Either, Option, Schema, SchemaAST } from "effect"
import fc from "fast-check"

/** What JSON can say. */
export type Wire = string | number | boolean | null | ReadonlyArray<Wire> | { readonly [name: string]: Wire }

interface JsonSchema {
  readonly enum?: ReadonlyArray<Wire>
  readonly pattern?: string
  readonly type?: string | ReadonlyArray<string>
}

const jsonSchemaOf = (ast: SchemaAST.AST): JsonSchema =>
  Option.getOrElse(SchemaAST.getJSONSchemaAnnotation(ast) as Option.Option<JsonSchema>, () => ({}))

/** Short, and few of them, so that the same one comes again. */
const texts = fc.constantFrom("a", "b", "price of gold", "é€😀")
const counts = fc.constantFrom(0, 1, 60, 3_600)

const ofType: Readonly<Record<string, fc.Arbitrary<Wire>>> = {
  string: texts,
  number: counts,
  integer: counts,
  boolean: fc.boolean(),
  object: fc.constantFrom<Wire>({}, { id: "a", list: [1, null, "é"] }),
  array: fc.constantFrom<Wire>([], [{ a: 1 }])
}

const ofJsonSchema = ({ enum: values, type = "string" }: JsonSchema): fc.Arbitrary<Wire> =>
  values === undefined ? fc.oneof(...[type].flat().map((name) => ofType[name] ?? texts)) : fc.constantFrom(...values)

/** Texts in the forms of the contract: ids in both spellings, names of programs. */
const formed = ["ab".repeat(32), `0x${"AB".repeat(32)}`, "v1.some-name.sibyl"]

/** Those that a pattern accepts. */
const ofPattern = (pattern: string): fc.Arbitrary<Wire> => {
  const fitting = formed.filter((text) => new RegExp(pattern).test(text))
  return fitting.length === 0 ? texts : fc.constantFrom(...fitting)
}

/** The property signatures of a schema of an object, with what is sent for each. */
export const membersOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.PropertySignature> => {
  const encoded = SchemaAST.encodedAST(ast)
  return SchemaAST.isTypeLiteral(ast) ? ast.propertySignatures : SchemaAST.isTypeLiteral(encoded) ? encoded.propertySignatures : []
}

/** The alternatives of a schema, without `undefined`, each as it is sent. */
const alternativesOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> => {
  if (SchemaAST.isUnion(ast)) return ast.types.flatMap(alternativesOf)
  if (SchemaAST.isTransformation(ast)) return alternativesOf(ast.from)
  return SchemaAST.isUndefinedKeyword(ast) ? [] : [ast]
}

const accepted = (ast: SchemaAST.AST): fc.Arbitrary<Wire> => {
  if (SchemaAST.isLiteral(ast)) return fc.constant(ast.literal as Wire)
  const json = jsonSchemaOf(ast)
  if (SchemaAST.isRefinement(ast)) return json.pattern === undefined ? accepted(ast.from) : ofPattern(json.pattern)
  if (SchemaAST.isNumberKeyword(ast)) return counts
  if (SchemaAST.isBooleanKeyword(ast)) return fc.boolean()
  return ofJsonSchema(json)
}

/** A value that a schema accepts. Some rules are in no annotation, so the schema itself has the last word. */
export const acceptedValue = (ast: SchemaAST.AST): fc.Arbitrary<Wire> => {
  const isAccepted = (value: Wire): boolean => Either.isRight(Schema.decodeUnknownEither(Schema.make<unknown, unknown>(ast))(value))
  return fc.oneof(...alternativesOf(ast).map(accepted)).filter(isAccepted)
}

/** Whole characters: half of one can be sent in no query. */
const withoutLast = (text: string): string => Array.from(text).slice(0, -1).join("")

const spoilt = (value: Wire): fc.Arbitrary<Wire> =>
  typeof value === "string" && value.length > 1
    ? fc.constantFrom<Wire>(withoutLast(value), `${value}_`, `${value} `, [value])
    : fc.constantFrom<Wire>("-1", "yes", "2", { value }, [value])

/** A value that it nearly accepts, or a rare spelling that it does accept. */
export const nearlyAcceptedValue = (ast: SchemaAST.AST): fc.Arbitrary<Wire> => acceptedValue(ast).chain(spoilt)
