/**
 * Schemas compiled to plain functions: the same verdicts and values as the schema's own, without what describes errors. A message passes
 * several of these, and a run is one message to and fro.
 */
import { Either, type Schema, SchemaAST } from "effect"

/** What a value becomes that the schema refuses. */
export const refused: unique symbol = Symbol("refused")

/** Reads (or writes) one value, or answers {@link refused}. Throws nothing of its own. */
export type Pass = (value: unknown) => unknown

type Outcome = Either.Either<unknown, unknown>

/** Nothing in our contract waits: what is no `Either` is refused. */
const settled = (outcome: unknown): unknown => {
  if (!Either.isEither(outcome)) return refused
  const either: Outcome = outcome
  return Either.isRight(either) ? either.right : refused
}

const own = (value: object, name: PropertyKey): boolean => Object.prototype.hasOwnProperty.call(value, name)

const isRecord = (value: unknown): value is Readonly<Record<PropertyKey, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const only =
  (isIt: (value: unknown) => boolean): Pass =>
  (value) =>
    isIt(value) ? value : refused

const refinement = (ast: SchemaAST.Refinement, isReading: boolean): Pass => {
  // Towards the message, a value is checked first, and then written.
  const [first, last] = isReading ? [compiled(ast.from, true), undefined] : [undefined, compiled(ast.from, false)]
  return (value) => {
    const inner = first === undefined ? value : first(value)
    if (inner === refused || ast.filter(inner, SchemaAST.defaultParseOption, ast)._tag === "Some") return refused
    return last === undefined ? inner : last(inner)
  }
}

const transformation = (ast: SchemaAST.Transformation, isReading: boolean): Pass => {
  const { transformation: kind } = ast
  if (!SchemaAST.isFinalTransformation(kind)) throw new TypeError(`no message has a ${kind._tag}`)
  const step = isReading ? kind.decode : kind.encode
  const before = compiled(isReading ? ast.from : ast.to, isReading)
  const after = compiled(isReading ? ast.to : ast.from, isReading)
  return (value) => {
    const from = before(value)
    if (from === refused) return refused
    const to = settled(step(from, SchemaAST.defaultParseOption, ast, value))
    return to === refused ? refused : after(to)
  }
}

const declaration = (ast: SchemaAST.Declaration, isReading: boolean): Pass => {
  const parse = isReading ? ast.decodeUnknown(...ast.typeParameters) : ast.encodeUnknown(...ast.typeParameters)
  return (value) => settled(parse(value, SchemaAST.defaultParseOption, ast))
}

const array = ({ elements, rest }: SchemaAST.TupleType, isReading: boolean): Pass => {
  const places = elements.map(({ type }) => compiled(type, isReading))
  const [each, ...tail] = rest.map(({ type }) => compiled(type, isReading))
  if (tail.length > 0 || elements.some(({ isOptional }) => isOptional)) throw new TypeError("no message has such an array")
  return (value) => {
    if (!Array.isArray(value) || value.length < places.length || (each === undefined && value.length > places.length)) return refused
    const out: Array<unknown> = []
    for (let at = 0; at < value.length; at += 1) {
      const element = (places[at] ?? each)?.(value[at])
      if (element === refused) return refused
      out.push(element)
    }
    return out
  }
}

const struct = ({ propertySignatures }: SchemaAST.TypeLiteral, isReading: boolean): Pass => {
  const fields = propertySignatures.map(({ isOptional, name, type }) => ({ name, isOptional, pass: compiled(type, isReading) }))
  return (value) => {
    if (!isRecord(value)) return refused
    const out: Record<PropertyKey, unknown> = {}
    for (const { isOptional, name, pass } of fields) {
      if (isOptional && !own(value, name)) continue
      const field = pass(value[name])
      if (field === refused) return refused
      out[name] = field
    }
    return out
  }
}

const record = ({ type }: SchemaAST.IndexSignature, isReading: boolean): Pass => {
  const pass = compiled(type, isReading)
  return (value) => {
    if (!isRecord(value)) return refused
    const out: Record<string, unknown> = {}
    for (const name of Object.keys(value)) {
      const field = pass(value[name])
      if (field === refused) return refused
      out[name] = field
    }
    return out
  }
}

const object = (ast: SchemaAST.TypeLiteral, isReading: boolean): Pass => {
  const [names, ...others] = ast.indexSignatures
  if (names === undefined) return struct(ast, isReading)
  const isPlain = SchemaAST.isStringKeyword(names.parameter) && others.length === 0 && ast.propertySignatures.length === 0
  if (!isPlain) throw new TypeError("no message has such a record")
  return record(names, isReading)
}

/** The literals by which a member of a union is told from the others: those of its first field that has only such. */
const markOf = (member: SchemaAST.AST): { readonly name: PropertyKey; readonly literals: ReadonlySet<unknown> } | undefined => {
  if (!SchemaAST.isTypeLiteral(member)) return undefined
  for (const { name, type } of member.propertySignatures) {
    const types: ReadonlyArray<SchemaAST.AST> = SchemaAST.isUnion(type) ? type.types : [type]
    const literals = types.filter(SchemaAST.isLiteral)
    if (literals.length === types.length) return { name, literals: new Set(literals.map(({ literal }) => literal)) }
  }
  return undefined
}

const union = ({ types }: SchemaAST.Union, isReading: boolean): Pass => {
  const members = types.map((type) => ({ mark: markOf(type), pass: compiled(type, isReading) }))
  return (value) => {
    for (const { mark, pass } of members) {
      // A member that cannot be it is not tried: it might copy much before it refuses.
      if (mark !== undefined && !(isRecord(value) && mark.literals.has(value[mark.name]))) continue
      const out = pass(value)
      if (out !== refused) return out
    }
    return refused
  }
}

const compiled = (ast: SchemaAST.AST, isReading: boolean): Pass => {
  switch (ast._tag) {
    case "Literal":
      return only((value) => value === ast.literal)
    case "StringKeyword":
      return only((value) => typeof value === "string")
    case "NumberKeyword":
      return only((value) => typeof value === "number")
    case "BooleanKeyword":
      return only((value) => typeof value === "boolean")
    case "BigIntKeyword":
      return only((value) => typeof value === "bigint")
    case "ObjectKeyword":
      return only((value) => (typeof value === "object" && value !== null) || typeof value === "function")
    case "Refinement":
      return refinement(ast, isReading)
    case "Transformation":
      return transformation(ast, isReading)
    case "Declaration":
      return declaration(ast, isReading)
    case "TupleType":
      return array(ast, isReading)
    case "TypeLiteral":
      return object(ast, isReading)
    case "Union":
      return union(ast, isReading)
    default:
      throw new TypeError(`no message has a ${ast._tag}`)
  }
}

/** Both ways of a schema. What it is made of has to be among what our messages have; anything else throws here, when it is compiled. */
export const compiledSchema = <A, I>({ ast }: Schema.Schema<A, I>): { readonly read: Pass; readonly write: Pass } => ({
  read: compiled(ast, true),
  write: compiled(ast, false)
})
