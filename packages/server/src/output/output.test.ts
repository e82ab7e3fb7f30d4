/** Output for a terminal, a file and a script: alignment, colours, JSON, failures. */
import { Redacted } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { CompileFailed } from "../programs/compileProgram.ts"
import { CommandFailed, exitCodeOf, failureText, InvalidConfiguration, failureContent, UsageError } from "./failure.ts"
import { jsonDocument } from "./jsonDocument.ts"
import { paintWith, withoutColours } from "./paint.ts"
import { type Column, fields, table } from "./table.ts"

const plain = paintWith(false)
const coloured = paintWith(true)

interface Row {
  readonly name: string
  readonly credits: number
}

const columns: ReadonlyArray<Column<Row>> = [
  { head: "name", cell: ({ name }, paint) => paint("bold", name) },
  { head: "credits", cell: ({ credits }) => `${credits}`, align: "right" }
]

describe("a table", () => {
  it("aligns text left and numbers right", () => {
    const rows = [
      { name: "a", credits: 1_000 },
      { name: "longer", credits: 7 }
    ]
    expect(table(rows, columns, "nothing", plain)).toEqual(["name    credits", "a          1000", "longer        7"])
  })

  it("reports that it is empty", () => {
    expect(table([], columns, "no rows yet", plain)).toEqual(["no rows yet"])
  })

  it("has the same text with colours", () => {
    const row = fc.record({ name: fc.stringMatching(/^[a-z]{1,9}$/), credits: fc.nat() })
    fc.assert(
      fc.property(fc.array(row), (rows) => {
        const [withColours, without] = [coloured, plain].map((paint) => table(rows, columns, "nothing", paint))
        expect(withColours?.map(withoutColours)).toEqual(without)
        expect(without?.join("\n")).not.toContain("\u001b")
      })
    )
  })

  it("of one object aligns its values", () => {
    expect(
      fields(
        [
          ["id", "1"],
          ["name", ""],
          ["credits", "5"]
        ],
        plain
      )
    ).toEqual(["id       1", "name", "credits  5"])
  })
})

describe("a document", () => {
  it("has bigints as strings and no secret", () => {
    const document = { credits: 2n ** 70n, key: Redacted.make("secret"), list: [1n, null] }
    expect(jsonDocument(document)).toBe('{"credits":"1180591620717411303424","key":"<redacted>","list":["1",null]}')
  })
})

describe("a failure", () => {
  const invalid = new InvalidConfiguration({ field: "port", rule: "a number", message: "port must be a number" })

  it("is one line for people", () => {
    expect(failureText(failureContent(invalid), false, plain)).toBe("sibyl: port must be a number")
    const torn = new CommandFailed({ message: "first\n  second" })
    expect(failureText(failureContent(torn), false, plain)).toBe("sibyl: first second")
  })

  it("is one document for scripts, with its details", () => {
    expect(JSON.parse(failureText(failureContent(invalid), true, coloured))).toEqual({
      _tag: "InvalidConfiguration",
      error: "port must be a number",
      message: "port must be a number",
      field: "port",
      rule: "a number"
    })
  })

  it("has no colours in its document, even if its details had some", () => {
    const painted = new CompileFailed({ message: "does not compile", compiler: paintWith(true)("red", "ERROR") })
    expect(JSON.parse(failureText(failureContent(painted), true, coloured))).toMatchObject({ compiler: "ERROR" })
  })

  it("of the command line or the configuration exits with 2, any other with 1", () => {
    expect([invalid, new UsageError({ message: "" }), new CommandFailed({ message: "" })].map(exitCodeOf)).toEqual([2, 2, 1])
  })
})
