/** Reads the parameters of an execution from query, body or JSON-RPC params into what the pipeline runs (decisions D4 to D7). */
import { Either, ParseResult, Schema } from "effect"
import { InvalidParameter } from "../../contract/errors.ts"
import { ExecuteOptions, parameterRules } from "../../contract/executeParams.ts"
import { equalBytes } from "../../domain/encoding/bytes.ts"
import { isJsonArray, isJsonObject, type Json, JsonNumber } from "../../domain/encoding/losslessJson.ts"
import { type InputEncoding, inputBytesOf } from "../../domain/encoding/programInputs.ts"
import type { AskedKey } from "../../services/programs/programReferences.ts"
import { misspelledIn } from "./misspelled.ts"
import { givenTwice } from "./query.ts"

/** One place that holds parameters: the query, the body, or the params of a JSON-RPC request. */
export type ParameterPlace = ReadonlyMap<string, Json>

/** An execution as requested. */
export interface ExecuteParameters {
  readonly key: AskedKey
  readonly options: ExecuteOptions
}

type Checked<A> = Either.Either<A, InvalidParameter>

const optionNames = Object.keys(parameterRules) as ReadonlyArray<keyof typeof parameterRules>

const isOptionName = (name: PropertyKey | undefined): name is keyof typeof parameterRules => optionNames.some((known) => known === name)

/** Every parameter of an execution. */
const parameterNames: ReadonlyArray<string> = [...optionNames, "execInputs", "tallyInputs"]

/** Whether a name is one of an execution's parameters. */
export const isExecuteParameter = (name: string): boolean => parameterNames.includes(name)

/** A scalar for the schema; a list or an object stays as it is, and no option accepts it. */
const plain = (value: Json): unknown => (value instanceof JsonNumber ? Number(value.digits) : value)

const decodeOptions = Schema.decodeUnknownEither(ExecuteOptions)

type OptionNames = typeof optionNames

/** Reads these options from one place. Null counts as absent. */
const readOptions = (place: ParameterPlace, names: OptionNames): Checked<ExecuteOptions> => {
  const given: Record<string, unknown> = {}
  for (const name of names) {
    const value = place.get(name)
    if (value !== undefined && value !== null) given[name] = plain(value)
  }
  return Either.mapLeft(decodeOptions(given), (error) => {
    const name = ParseResult.ArrayFormatter.formatErrorSync(error)[0]?.path[0]
    return isOptionName(name)
      ? InvalidParameter.because(name, parameterRules[name])
      : InvalidParameter.because("parameters", "are malformed")
  })
}

const mergeOptions = (places: ReadonlyArray<ParameterPlace>, names: OptionNames): Checked<ExecuteOptions> =>
  Either.flatMap(Either.all(places.map((place) => readOptions(place, names))), (read) => {
    for (const name of names) {
      const values = new Set(read.map((options) => options[name]).filter((value) => value !== undefined))
      if (values.size > 1) return Either.left(givenTwice(name))
    }
    return Either.right(Object.assign({}, ...read) as ExecuteOptions)
  })

const ofRemembered: OptionNames = ["returnLastResultMaxAge"]
const ofEveryRun: OptionNames = optionNames.filter((name) => !ofRemembered.includes(name))

/** The age is read only together with its flag; otherwise it is ignored, even if it is invalid (decision D6). */
const readAllOptions = (places: ReadonlyArray<ParameterPlace>): Checked<ExecuteOptions> =>
  Either.flatMap(mergeOptions(places, ofEveryRun), (options) =>
    options.returnLastResult === true
      ? Either.map(mergeOptions(places, ofRemembered), (age) => ({ ...options, ...age }))
      : Either.right(options)
  )

const readInput = (
  places: ReadonlyArray<ParameterPlace>,
  name: "execInputs" | "tallyInputs",
  encoding: InputEncoding,
  maxBytes: number
): Checked<Uint8Array> => {
  const given = places.map((place) => place.get(name)).filter((value) => value !== undefined && value !== null)
  const read = Either.all(given.map((value) => inputBytesOf(value, encoding)))
  if (Either.isLeft(read)) return Either.left(InvalidParameter.because(name, read.left.rule))
  const [bytes = new Uint8Array(), ...others] = read.right
  if (others.some((other) => !equalBytes(other, bytes))) return Either.left(givenTwice(name))
  return bytes.length > maxBytes
    ? Either.left(InvalidParameter.because(name, `must be at most ${maxBytes} bytes, has ${bytes.length}`))
    : Either.right(bytes)
}

/** Reads an execution from all places that hold parameters; `otherNames` are the endpoint's other parameters. */
export const readExecuteParameters = (
  places: ReadonlyArray<ParameterPlace>,
  maxInputBytes: number,
  otherNames: ReadonlyArray<string> = []
): Checked<ExecuteParameters> =>
  Either.gen(function* () {
    const misspelled = misspelledIn(
      places.flatMap((place) => [...place.keys()]),
      [...parameterNames, ...otherNames]
    )
    if (misspelled !== undefined) return yield* Either.left(misspelled)
    const options = yield* readAllOptions(places)
    const { execProgramId } = options
    if (execProgramId === undefined) return yield* Either.left(InvalidParameter.because("execProgramId", "is required"))
    const encoding = options.inputEncoding ?? "auto"
    const execInputs = yield* readInput(places, "execInputs", encoding, maxInputBytes)
    const tallyInputs = yield* readInput(places, "tallyInputs", encoding, maxInputBytes)
    return { key: { execProgramId, execInputs, tallyProgramId: options.tallyProgramId ?? execProgramId, tallyInputs }, options }
  })

/** Whether a JSON value can hold parameters by name. */
export const isParameterPlace = (value: Json): value is ParameterPlace => isJsonObject(value) && !isJsonArray(value)
