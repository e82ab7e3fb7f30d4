/** Parameters of executions, derived from the contract's schemas: mostly valid, some nearly. */
import type { Schema, SchemaAST } from "effect"
import fc from "fast-check"
import type { Template } from "./command.ts"
import { acceptedValue, membersOf, nearlyAcceptedValue, type Wire } from "./wireValues.ts"

/** Parameters by name. */
export type Parameters = Readonly<Record<string, Wire>>

/** A schema of an object. */
export type AnySchema = Schema.Schema.AnyNoContext

/** Mostly the echo, so that equal requests meet. `names`: the programs that the target has. */
const programs = (names: ReadonlyArray<string>): fc.Arbitrary<Template> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constant("«program echo»") },
    { weight: 5, arbitrary: fc.constantFrom(...names.map((name) => `«program ${name}»`)) },
    { weight: 1, arbitrary: fc.constantFrom("«PROGRAM echo»", "«0xprogram echo»", "0".repeat(64), "no.such-program") }
  )

/** Few, so that equal requests meet. The simulated machine takes as many ms as the first ones say. */
const inputs: fc.Arbitrary<Parameters> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom<Parameters>({}, { execInputs: "a" }, { execInputs: "b" }, { execInputs: "0x61" }) },
  { weight: 3, arbitrary: fc.constantFrom<Parameters>({ execInputs: "slow 25" }, { execInputs: "slow 400" }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Parameters>(
      { execInputs: "YQ==", inputEncoding: "base64" },
      { execInputs: "0x61", inputEncoding: "utf8" },
      { execInputs: "61", inputEncoding: "hex" },
      { execInputs: "a", inputEncoding: "auto", tallyInputs: "0x62" },
      { execInputs: "a", tallyInputs: "b" }
    )
  },
  // Not what the encoding says.
  { weight: 1, arbitrary: fc.constantFrom<Parameters>({ execInputs: "0x6" }, { execInputs: "a!", inputEncoding: "base64" }) }
)

/** Those that only JSON can say. */
const jsonInputs: fc.Arbitrary<Parameters> = fc.constantFrom<Parameters>(
  { execInputs: { b: 1, a: [null, "é"] } },
  { execInputs: ["a"], inputEncoding: "hex" }
)

const sometimes = (arbitrary: fc.Arbitrary<Parameters>, oneIn: number): fc.Arbitrary<Parameters> =>
  fc.oneof({ weight: oneIn - 1, arbitrary: fc.constant({}) }, { weight: 1, arbitrary })

const together = (parts: ReadonlyArray<fc.Arbitrary<Parameters>>): fc.Arbitrary<Parameters> =>
  fc.tuple(...parts).map((all): Parameters => Object.assign({}, ...all) as Parameters)

/** How rarely each parameter is given: once in so many; by default once in four. */
const rarity: Readonly<Record<string, number>> = {
  tallyProgramId: 12,
  dryRun: 16,
  includeRecording: 16,
  noPrefetch: 16,
  injectLastResult: 12,
  returnLastResultMaxAge: 8
}

/** These are chosen together, above. */
const isChosenByHand = (name: string): boolean => ["execProgramId", "execInputs", "tallyInputs", "inputEncoding"].includes(name)

const optionOf = (names: ReadonlyArray<string>, { name, type }: SchemaAST.PropertySignature): fc.Arbitrary<Parameters> => {
  const key = String(name)
  const value: fc.Arbitrary<Wire> = key === "tallyProgramId" ? programs(names) : acceptedValue(type)
  return sometimes(
    value.map((given) => ({ [key]: given })),
    rarity[key] ?? 4
  )
}

/** Parameters that a schema accepts. `isJson`: whether they are in a body, which can have objects and lists. */
export const validParameters = (schema: AnySchema, names: ReadonlyArray<string>, isJson: boolean): fc.Arbitrary<Parameters> => {
  const members = membersOf(schema.ast)
  const options = members.filter(({ name }) => !isChosenByHand(String(name))).map((member) => optionOf(names, member))
  const chosen = isJson ? fc.oneof({ weight: 12, arbitrary: inputs }, { weight: 1, arbitrary: jsonInputs }) : inputs
  return together([programs(names).map((execProgramId) => ({ execProgramId })), chosen, ...options])
}

const without = (parameters: Parameters, name: string): Parameters =>
  Object.fromEntries(Object.entries(parameters).filter(([other]) => other !== name))

/** One parameter absent, misspelled, unknown or with a value that is nearly right. */
const damaged = (schema: AnySchema, parameters: Parameters): fc.Arbitrary<Parameters> =>
  fc.oneof(
    fc.constant(without(parameters, "execProgramId")),
    fc.constant({ ...without(parameters, "execInputs"), exec_inputs: "a" }),
    fc.constant({ ...parameters, colour: "red" }),
    fc
      .constantFrom(...membersOf(schema.ast))
      .chain(({ name, type }) => nearlyAcceptedValue(type).map((value) => ({ ...parameters, [String(name)]: value })))
  )

/** Mostly valid parameters. */
export const parametersFor = (schema: AnySchema, names: ReadonlyArray<string>, isJson: boolean): fc.Arbitrary<Parameters> => {
  const valid = validParameters(schema, names, isJson)
  return fc.oneof({ weight: 9, arbitrary: valid }, { weight: 1, arbitrary: valid.chain((parameters) => damaged(schema, parameters)) })
}

/** As a query has it: lists and objects as JSON. */
export const queryValue = (value: Wire): string => (typeof value === "object" ? JSON.stringify(value) : String(value))
