/** JSON-RPC requests and their expected replies, as data. */
import type { AuditProgram } from "../programs/auditPrograms.ts"

/** An error reply. */
export interface ExpectedError {
  readonly id: string | null
  readonly code: number
  readonly tag: string
  /** The parameter that text and details must name. */
  readonly parameter?: string
}

/** One request; placeholders such as `$echo` stand for the ids of the kit's programs. */
export interface RpcCase {
  readonly name: string
  readonly send: string
  readonly error?: ExpectedError
  /** The reply's `data.result`. */
  readonly result?: unknown
}

/** The id of every well-formed request here. */
const id = "t"

const parseError: ExpectedError = { id: null, code: 32700, tag: "ParseError" }
const invalidRequest: ExpectedError = { id: null, code: 32600, tag: "InvalidRequest" }
const unknownMethod: ExpectedError = { id, code: 32601, tag: "MethodNotFound" }
const programNotFound: ExpectedError = { id, code: 36004, tag: "ProgramNotFound" }
const feedNotFound: ExpectedError = { id, code: 32001, tag: "FeedNotFound" }
const wrong = (parameter: string): ExpectedError => ({ id, code: 32602, tag: "InvalidParameter", parameter })

const call = (method: string, params: unknown): string => JSON.stringify({ jsonrpc: "2.0", id, method, params })

const echo = { execProgramId: "$echo" } as const

type Rows = ReadonlyArray<readonly [name: string, send: string]>
const answered = (error: ExpectedError, rows: Rows): ReadonlyArray<RpcCase> => rows.map(([name, send]) => ({ name, send, error }))

const envelopes: ReadonlyArray<RpcCase> = [
  ...answered(parseError, [
    ["nothing", ""],
    ["white space", " \n"],
    ["a word", "hello"],
    ["half an object", '{"jsonrpc":"2.0"'],
    ["two values", "{}{}"],
    ["a trailing comma", '{"jsonrpc":"2.0",}'],
    ["single quotes", "{'jsonrpc':'2.0'}"],
    ["a byte order mark", '\ufeff{"jsonrpc":"2.0"}']
  ]),
  ...answered(invalidRequest, [
    ["null", "null"],
    ["a number", "1"],
    ["a text", '"feed.execute"'],
    ["an empty batch", "[]"],
    ["a batch", `[${call("feed.execute", echo)}]`],
    ["an empty object", "{}"],
    ["no jsonrpc", '{"id":"t","method":"feed.execute","params":{}}'],
    ["jsonrpc 1.0", '{"jsonrpc":"1.0","id":"t","method":"feed.execute","params":{}}'],
    ["jsonrpc as a number", '{"jsonrpc":2.0,"id":"t","method":"feed.execute","params":{}}'],
    ["two ids", '{"jsonrpc":"2.0","id":"t","id":"u","method":"feed.execute","params":{}}'],
    ["no id", '{"jsonrpc":"2.0","method":"feed.execute","params":{}}'],
    ["a null id", '{"jsonrpc":"2.0","id":null,"method":"feed.execute","params":{}}'],
    ["a number as id", '{"jsonrpc":"2.0","id":1,"method":"feed.execute","params":{}}'],
    ["an object as id", '{"jsonrpc":"2.0","id":{},"method":"feed.execute","params":{}}'],
    ["no method", '{"jsonrpc":"2.0","id":"t","params":{}}'],
    ["a number as method", '{"jsonrpc":"2.0","id":"t","method":1,"params":{}}']
  ]),
  ...answered(unknownMethod, [
    ["an unknown method", call("feed.restart", {})],
    ["a method in capitals", call("FEED.EXECUTE", echo)],
    ["a method with a space", call("feed.execute ", echo)],
    ["a notification's name", call("authorized", {})],
    ["a method that objects have", call("toString", {})]
  ]),
  ...answered(wrong("params"), [
    ["no params", '{"jsonrpc":"2.0","id":"t","method":"feed.execute"}'],
    ["null params", call("feed.execute", null)],
    ["a list of params", call("feed.execute", ["$echo"])],
    ["a text as params", call("feed.stop", "id")]
  ])
]

const execute = (name: string, params: Readonly<Record<string, unknown>>) => [name, call("feed.execute", { ...echo, ...params })] as const

const succeeds = (name: string, params: Readonly<Record<string, unknown>>, result: unknown): RpcCase => ({
  name,
  send: call("feed.execute", { ...echo, ...params }),
  result
})

const programs: ReadonlyArray<RpcCase> = [
  ...answered(wrong("execProgramId"), [
    ["no program", call("feed.execute", {})],
    execute("an empty program id", { execProgramId: "" }),
    execute("a program id of 63 digits", { execProgramId: "a".repeat(63) }),
    execute("a program id of 65 digits", { execProgramId: "a".repeat(65) }),
    execute("a program id that is not hex", { execProgramId: "g".repeat(64) }),
    execute("a number as program id", { execProgramId: 7 })
  ]),
  ...answered(programNotFound, [execute("a program that is not deployed", { execProgramId: "0".repeat(64) })]),
  succeeds("a program id with a prefix", { execProgramId: "0x$echo", execInputs: "a", encoding: "utf8" }, "a")
]

const tallyPrograms: ReadonlyArray<RpcCase> = [
  ...answered(wrong("tallyProgramId"), [
    execute("a short tally program id", { tallyProgramId: "abc" }),
    execute("an empty tally program id", { tallyProgramId: "" })
  ]),
  ...answered(programNotFound, [execute("a tally program that is not deployed", { tallyProgramId: "0".repeat(64) })]),
  succeeds("a tally program of its own", { execInputs: "a", tallyProgramId: "$echo", encoding: "utf8" }, "a"),
  succeeds("a null tally program", { execInputs: "a", tallyProgramId: null, encoding: "utf8" }, "a")
]

const inputs: ReadonlyArray<RpcCase> = [
  ...answered(wrong("execInputs"), [
    execute("half a byte", { execInputs: "0x1" }),
    execute("inputs that are not hex", { execInputs: "0xzz" }),
    execute("inputs that are not base64", { execInputs: "*", inputEncoding: "base64" }),
    ["an integer that no double holds", call("feed.execute", echo).replace("}}", ',"execInputs":{"n":9007199254740993}}}')],
    execute("one byte too many", { execInputs: "x".repeat(262_145) })
  ]),
  succeeds("a text", { execInputs: "text" }, "0x74657874"),
  succeeds("no inputs", {}, "0x"),
  succeeds("null inputs", { execInputs: null }, "0x"),
  succeeds("an object", { execInputs: { b: 1, a: ["x", null] }, encoding: "utf8" }, '{"b":1,"a":["x",null]}'),
  succeeds("a list", { execInputs: [1, true], encoding: "utf8" }, "[1,true]")
]

const inputEncodings: ReadonlyArray<RpcCase> = [
  ...answered(wrong("inputEncoding"), [
    execute("an unknown input encoding", { inputEncoding: "base16" }),
    execute("a number as input encoding", { inputEncoding: 16 })
  ]),
  succeeds("hex by its prefix", { execInputs: "0x00ff" }, "0x00ff"),
  succeeds("auto by its name", { execInputs: "0x00ff", inputEncoding: "auto" }, "0x00ff"),
  succeeds("a prefix that is text", { execInputs: "0x00", inputEncoding: "utf8" }, "0x30783030"),
  succeeds("hex with a prefix", { execInputs: "0xAB", inputEncoding: "hex" }, "0xab"),
  succeeds("hex without a prefix", { execInputs: "ab", inputEncoding: "hex" }, "0xab"),
  succeeds("base64", { execInputs: "AP8=", inputEncoding: "base64" }, "0x00ff")
]

const tallyInputs: ReadonlyArray<RpcCase> = [
  ...answered(wrong("tallyInputs"), [
    execute("tally inputs that are not hex", { tallyInputs: "0x0g" }),
    execute("tally inputs that are too many", { tallyInputs: "x".repeat(262_145) })
  ]),
  succeeds("tally inputs", { execInputs: "a", tallyInputs: "tally", encoding: "utf8" }, "tally"),
  succeeds("tally inputs as an object", { execInputs: "a", tallyInputs: { a: 1 }, encoding: "utf8" }, '{"a":1}'),
  succeeds("tally inputs by the encoding of inputs", { tallyInputs: "AP8=", inputEncoding: "base64" }, "0x00ff")
]

const storedResults: ReadonlyArray<RpcCase> = [
  ...answered(wrong("returnLastResult"), [
    execute("a flag that is neither", { returnLastResult: "yes" }),
    execute("a flag that is a list", { returnLastResult: [] })
  ]),
  ...answered(wrong("returnLastResultMaxAge"), [
    execute("a negative age", { returnLastResult: "true", returnLastResultMaxAge: "-1" }),
    execute("an age that is a word", { returnLastResult: true, returnLastResultMaxAge: "old" })
  ]),
  ...answered(wrong("injectLastResult"), [
    execute("an unknown injection", { injectLastResult: "both" }),
    execute("a flag as injection", { injectLastResult: true })
  ]),
  succeeds("an age as text", { execInputs: "a", returnLastResult: "true", returnLastResultMaxAge: "0" }, "0x61"),
  succeeds("an age as number", { execInputs: "a", returnLastResult: true, returnLastResultMaxAge: 0 }, "0x61"),
  succeeds("an age without its flag", { execInputs: "a", returnLastResultMaxAge: "old" }, "0x61"),
  ...["success", "last", "none"].map((injectLastResult) =>
    succeeds(`injecting ${injectLastResult}`, { execInputs: "a", injectLastResult }, "0x61")
  )
]

const flags: ReadonlyArray<RpcCase> = [
  ...answered(wrong("includeSummary"), [execute("a number that is no flag", { includeSummary: 2 })]),
  ...answered(wrong("includeDebugInfo"), [execute("an object that is no flag", { includeDebugInfo: {} })]),
  ...answered(wrong("noPrefetch"), [execute("a list that is no flag", { noPrefetch: [] })]),
  ...answered(wrong("includeRecording"), [execute("a number beyond flags", { includeRecording: 7 })]),
  succeeds("flags as JSON has them", { execInputs: "a", includeSummary: false, returnLastResult: false }, "0x61"),
  succeeds("flags in any letter case", { execInputs: "a", includeSummary: "FALSE", includeDebugInfo: "0" }, "0x61"),
  succeeds("without prefetching", { execInputs: "a", noPrefetch: true }, "0x61")
]

const encodings: ReadonlyArray<RpcCase> = [
  ...answered(wrong("encoding"), [
    execute("an unknown encoding", { encoding: "xml" }),
    execute("an encoding in capitals", { encoding: "HEX" })
  ]),
  succeeds("a result as hex", { execInputs: "½", encoding: "hex" }, "0xc2bd"),
  succeeds("a result as text", { execInputs: "½ €", encoding: "utf8" }, "½ €"),
  succeeds("a result as base64", { execInputs: "0x00ff", encoding: "base64" }, "AP8="),
  succeeds("a result as JSON", { execInputs: { price: 1.5 }, encoding: "json" }, { price: 1.5 }),
  succeeds("bytes that are no JSON", { execInputs: "0xff", encoding: "json" }, "0xff")
]

const names: ReadonlyArray<RpcCase> = [
  ...answered(wrong("execinputs"), [execute("a misspelled parameter", { execinputs: "x" })]),
  ...answered(wrong("encoding"), [
    ["a parameter with two values", call("feed.execute", echo).replace("}}", ',"encoding":"hex","encoding":"utf8"}}')]
  ]),
  succeeds("unknown members", { execInputs: "a", somethingElse: { deep: [1] } }, "0x61")
]

const start = (name: string, params: Readonly<Record<string, unknown>>) =>
  [name, call("feed.start", { execute: echo, periodicityMs: 1_000, mode: "FIXED", ...params })] as const

const feedExecutions: ReadonlyArray<RpcCase> = [
  ...answered(wrong("execute"), [
    start("a feed of nothing", { execute: undefined }),
    start("a feed of null", { execute: null }),
    start("a feed of a text", { execute: "$echo" }),
    start("a feed of a list", { execute: [] })
  ]),
  ...answered(wrong("execute.execProgramId"), [start("a feed without a program", { execute: {} })]),
  ...answered(wrong("execute.encoding"), [start("a feed with an unknown encoding", { execute: { ...echo, encoding: "xml" } })]),
  ...answered(wrong("execute.execInputs[]"), [start("a feed with a misspelled parameter", { execute: { ...echo, "execInputs[]": "x" } })]),
  ...answered(programNotFound, [start("a feed of a program that is not deployed", { execute: { execProgramId: "0".repeat(64) } })])
]

const periods: ReadonlyArray<RpcCase> = [
  ...answered(wrong("periodicityMs"), [
    start("no period", { periodicityMs: undefined }),
    start("a null period", { periodicityMs: null }),
    start("a period as text", { periodicityMs: "1000" }),
    start("a period below the limit", { periodicityMs: 9 }),
    start("a period above the limit", { periodicityMs: 86_400_001 }),
    start("a negative period", { periodicityMs: -1_000 }),
    start("half a millisecond", { periodicityMs: 10.5 })
  ]),
  ...answered(wrong("periodicityMS"), [start("a misspelled period", { periodicityMs: undefined, periodicityMS: 1_000 })])
]

const modes: ReadonlyArray<RpcCase> = answered(wrong("mode"), [
  start("no mode", { mode: undefined }),
  start("a null mode", { mode: null }),
  start("a mode in small letters", { mode: "fixed" }),
  start("an unknown mode", { mode: "RANDOM" }),
  start("a mode that is a number", { mode: 1 })
])

const stops: ReadonlyArray<RpcCase> = [
  ...answered(wrong("feedId"), [
    ["a stop of nothing", call("feed.stop", {})],
    ["a stop of a number", call("feed.stop", { feedId: 1 })]
  ]),
  ...answered(feedNotFound, [
    ["a stop of an unknown feed", call("feed.stop", { feedId: "00000000-0000-4000-8000-000000000000" })],
    ["a stop of an empty id", call("feed.stop", { feedId: "" })]
  ])
]

/** The requests about the envelope of a request. */
export const envelopeTable = envelopes

/** The requests about parameters, by what they are about. */
export const parameterTables = {
  programs,
  tallyPrograms,
  inputs,
  inputEncodings,
  tallyInputs,
  storedResults,
  flags,
  encodings,
  names,
  feedExecutions,
  periods,
  modes,
  stops
} as const

/** The text to send to a service whose kit programs have these ids. */
export const caseText = ({ send }: RpcCase, programs: Readonly<Record<AuditProgram, string>>): string =>
  send.replaceAll("$echo", programs.echo)
