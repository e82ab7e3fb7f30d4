/** Audits of how inputs are decoded: the four encodings, objects and lists, and what is refused (D5). */
import { type Audit, audit } from "../audit.ts"
import { type Check, same } from "../check.ts"
import { type Answer, at, execute, executePost, hexOf, send } from "./call.ts"
import type { Target } from "./target.ts"
import { isError, refusesParameter, succeeds } from "./wireForms.ts"

const execInputsOf = (answer: Answer): unknown => at(answer.json, "data", "dataRequest", "execInputs")

/** One input as sent, its encoding, and the hex it must become. */
type Reading = readonly [execInputs: string, inputEncoding: string, hex: string]

const readings: ReadonlyArray<Reading> = [
  ["0x00Ff", "auto", "00ff"],
  ["0x", "auto", ""],
  ["00ff", "auto", hexOf("00ff")],
  ["½ €", "auto", hexOf("½ €")],
  ["", "auto", ""],
  ["0x00Ff", "hex", "00ff"],
  ["00fF", "hex", "00ff"],
  ["0x00ff", "utf8", hexOf("0x00ff")],
  ["½ €", "utf8", hexOf("½ €")],
  ["+/8=", "base64", "fbff"],
  ["-_8=", "base64", "fbff"],
  ["-_8", "base64", "fbff"],
  ["", "base64", ""]
]

const readsEncodings = audit<Target>(
  "REST-INPUT-001",
  "MUST",
  "interface.md#get-execute/D5",
  "auto, hex, utf8 and base64, by GET and by POST, for both inputs",
  async (target) => {
    const checks = readings.map(async ([text, inputEncoding, hex]): Promise<ReadonlyArray<Check>> => {
      const inputs = { execInputs: text, tallyInputs: text, inputEncoding }
      const answers = [await execute(target, "echo", inputs), await executePost(target, "echo", inputs)]
      return answers.flatMap((answer) => [
        ...succeeds(`${text} as ${inputEncoding}`, answer),
        same(`execInputs ${text} as ${inputEncoding}`, execInputsOf(answer), hex),
        same(`tallyInputs ${text} as ${inputEncoding}`, at(answer.json, "data", "dataRequest", "tallyInputs"), hex)
      ])
    })
    return (await Promise.all(checks)).flat()
  }
)

const defaultsToAuto = audit<Target>(
  "REST-INPUT-002",
  "MUST",
  "interface.md#get-execute",
  "without inputEncoding it is auto",
  async (target) => [
    same("0x00ff", execInputsOf(await execute(target, "echo", { execInputs: "0x00ff" })), "00ff"),
    same("text", execInputsOf(await execute(target, "echo", { execInputs: "text" })), hexOf("text"))
  ]
)

const malformed: ReadonlyArray<readonly [text: string, inputEncoding: string]> = [
  ["0x0", "auto"],
  ["0x0g", "auto"],
  ["abc", "hex"],
  ["zz", "hex"],
  ["0x 0", "hex"],
  ["a", "base64"],
  ["a*bc", "base64"],
  ["AA=A", "base64"]
]

const refusesMalformedInputs = audit<Target>(
  "REST-INPUT-003",
  "MUST",
  "D5",
  "odd or invalid hex, also with auto, and invalid base64 are 400, naming the input",
  async (target) => {
    const checks = malformed.map(async ([text, inputEncoding]) => [
      ...refusesParameter(
        `execInputs ${text} as ${inputEncoding}`,
        await execute(target, "echo", { execInputs: text, inputEncoding }),
        "execInputs"
      ),
      ...refusesParameter(
        `tallyInputs ${text} as ${inputEncoding}`,
        await executePost(target, "echo", { tallyInputs: text, inputEncoding }),
        "tallyInputs"
      )
    ])
    return (await Promise.all(checks)).flat()
  }
)

const refusesUnknownEncodings = audit<Target>(
  "REST-INPUT-004",
  "MUST",
  "interface.md#get-execute/D13",
  "an unknown inputEncoding is 400, naming it",
  async (target) => [
    ...refusesParameter("query", await execute(target, "echo", { inputEncoding: "binary" }), "inputEncoding"),
    ...refusesParameter("body", await executePost(target, "echo", { inputEncoding: "binary" }), "inputEncoding"),
    ...refusesParameter("number", await executePost(target, "echo", { inputEncoding: 1 }), "inputEncoding")
  ]
)

const readsTheQueryAsAForm = audit<Target>(
  "REST-INPUT-005",
  "MUST",
  "D5",
  "a + in a query is a space, %2B a plus, percent escapes are UTF-8",
  async (target) => {
    const read = async (written: string): Promise<unknown> =>
      execInputsOf(await send(target, { path: `/execute?execProgramId=${target.programs.echo}&execInputs=${written}` }))
    return [
      same("a+b", await read("a+b"), hexOf("a b")),
      same("a%20b", await read("a%20b"), hexOf("a b")),
      same("a%2Bb", await read("a%2Bb"), hexOf("a+b")),
      same("%E2%82%AC", await read("%E2%82%AC"), hexOf("€")),
      same("a=b", await read("a=b"), hexOf("a=b"))
    ]
  }
)

/** Sends a body as given, because its white space and key order are under test. */
const postText = (target: Target, members: string): Promise<Answer> =>
  send(target, {
    path: "/execute",
    text: `{"execProgramId":"${target.programs.echo}",${members}}`,
    headers: { "content-type": "application/json" }
  })

/** JSON as written, and the compact JSON whose bytes are the input. */
const compacted: ReadonlyArray<readonly [written: string, compact: string]> = [
  ['{ "b" : [ 1 , 2.50 ] , "a" : { } }', '{"b":[1,2.5],"a":{}}'],
  ['{"z":1,"10":2,"9":3}', '{"z":1,"10":2,"9":3}'],
  ['[ 1, "two", null, true, [ ] ]', '[1,"two",null,true,[]]'],
  ['{"text":"\\u20ac\\/\\n"}', '{"text":"€/\\n"}'],
  ["{}", "{}"],
  ["[]", "[]"],
  ['{"edge":9007199254740991,"less":-9007199254740991}', '{"edge":9007199254740991,"less":-9007199254740991}']
]

const readsJsonInputs = audit<Target>(
  "REST-INPUT-006",
  "MUST",
  "interface.md#post-execute/D5",
  "an object or list is the bytes of its compact JSON in its key order, whatever the inputEncoding",
  async (target) => {
    const checks = compacted.map(async ([written, compact]) => {
      const answer = await postText(target, `"inputEncoding":"hex","execInputs":${written},"tallyInputs":${written}`)
      return [
        ...succeeds(written, answer),
        same(`execInputs ${written}`, execInputsOf(answer), hexOf(compact)),
        same(`tallyInputs ${written}`, at(answer.json, "data", "dataRequest", "tallyInputs"), hexOf(compact))
      ]
    })
    return (await Promise.all(checks)).flat()
  }
)

const refusesLossyIntegers = audit<Target>(
  "REST-INPUT-007",
  "MUST",
  "D5",
  "an integer that would change in a round trip through a double is 400, naming it",
  async (target) => {
    const integers = ["9007199254740993", "12345678901234567890123", "-9007199254740993"]
    const checks = integers.map(async (integer) =>
      refusesParameter(integer, await postText(target, `"execInputs":{"deep":[{"n":${integer}}]}`), integer)
    )
    return (await Promise.all(checks)).flat()
  }
)

const readsNullAsAbsent = audit<Target>("REST-INPUT-008", "MUST", "D5", "null is the same as absent", async (target) => {
  const members = ["execInputs", "tallyInputs", "tallyProgramId", "inputEncoding", "encoding", "includeDebugInfo"]
  const answer = await executePost(target, "echo", Object.fromEntries(members.map((name) => [name, null])))
  return [
    ...succeeds("answer", answer),
    same("execInputs", execInputsOf(answer), ""),
    same("tallyProgramId", at(answer.json, "data", "dataRequest", "tallyProgramId"), target.programs.echo),
    same("result", at(answer.json, "data", "result"), "0x")
  ]
})

const refusesScalars = audit<Target>(
  "REST-INPUT-009",
  "SHOULD",
  "interface.md#post-execute",
  "inputs that are a number or a boolean are 400, naming them",
  async (target) => [
    ...refusesParameter("number", await executePost(target, "echo", { execInputs: 1 }), "execInputs"),
    ...refusesParameter("boolean", await executePost(target, "echo", { tallyInputs: true }), "tallyInputs")
  ]
)

const limitsInputs = audit<Target>(
  "REST-INPUT-010",
  "MUST",
  "D29",
  "inputs of 256 KiB run; one byte more is 400, naming them",
  async (target) => {
    const largest = await executePost(target, "echo", {
      execInputs: "x".repeat(262_144),
      tallyProgramId: target.programs.printing
    })
    const larger = await executePost(target, "echo", { execInputs: "x".repeat(262_145) })
    return [
      same("256 KiB are read whole", String(execInputsOf(largest)).length, 2 * 262_144),
      ...isError("one byte more", larger, 400, "InvalidParameter", "execInputs")
    ]
  }
)

const textOfMatrix = "½ 0x"

/** The one text in every way of writing inputs, and in every way of showing results. */
const writtenAs: Readonly<Record<string, string>> = {
  auto: textOfMatrix,
  hex: hexOf(textOfMatrix),
  utf8: textOfMatrix,
  base64: Buffer.from(textOfMatrix).toString("base64")
}
const shownAs: Readonly<Record<string, string>> = {
  hex: `0x${hexOf(textOfMatrix)}`,
  utf8: textOfMatrix,
  base64: Buffer.from(textOfMatrix).toString("base64"),
  // The text is no JSON.
  json: `0x${hexOf(textOfMatrix)}`
}

const keepsEncodingsApart = audit<Target>(
  "REST-INPUT-011",
  "MUST",
  "interface.md#get-execute/D3/D5",
  "how inputs are written says nothing of how results are shown: each inputEncoding with each encoding gives the same run",
  async (target) => {
    const checks = Object.entries(writtenAs).flatMap(([inputEncoding, execInputs]) =>
      Object.entries(shownAs).map(async ([encoding, shown]): Promise<ReadonlyArray<Check>> => {
        const { json } = await executePost(target, "echo", { execInputs, inputEncoding, encoding })
        return [
          same(`${inputEncoding} and ${encoding}: data.result`, at(json, "data", "result"), shown),
          same(`${inputEncoding} and ${encoding}: dataResult.result`, at(json, "data", "dataResult", "result"), hexOf(textOfMatrix))
        ]
      })
    )
    return (await Promise.all(checks)).flat()
  }
)

const limitsTallyInputs = audit<Target>(
  "REST-INPUT-012",
  "MUST",
  "D29",
  "the limit of 256 KiB holds for tallyInputs by themselves, and for the bytes, not for the text that stands for them",
  async (target) => {
    // The tally of `printing` does not answer its inputs, which would be more than a result may have.
    const base = { tallyProgramId: target.programs.printing, inputEncoding: "hex" } as const
    const largest = await executePost(target, "echo", { ...base, tallyInputs: "61".repeat(262_144) })
    const larger = await executePost(target, "echo", { ...base, tallyInputs: "61".repeat(262_145) })
    return [
      same("256 KiB in hex", String(at(largest.json, "data", "dataRequest", "tallyInputs")).length, 2 * 262_144),
      ...isError("one byte more", larger, 400, "InvalidParameter", "tallyInputs"),
      same("details.parameter", at(larger.json, "details", "parameter"), "tallyInputs")
    ]
  }
)

/** How inputs are decoded. */
export const inputAudits: ReadonlyArray<Audit<Target>> = [
  readsEncodings,
  defaultsToAuto,
  refusesMalformedInputs,
  refusesUnknownEncodings,
  readsTheQueryAsAForm,
  readsJsonInputs,
  refusesLossyIntegers,
  readsNullAsAbsent,
  refusesScalars,
  limitsInputs,
  keepsEncodingsApart,
  limitsTallyInputs
]
