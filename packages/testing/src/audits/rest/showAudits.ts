/** Audits of how results are shown: the four encodings, debug information and the summary (D1, D3, D12). */
import { type Audit, audit } from "../audit.ts"
import { type Check, holds, keysAre, matches, same } from "../check.ts"
import { at, execute, hexOf, send } from "./call.ts"
import { partsOf, wholeAt } from "./memberAt.ts"
import type { Target } from "./target.ts"
import { dataKeys, decimal, phaseKeys, refusesParameter } from "./wireForms.ts"

const jsonText = '{"price":1.50,"big":123456789012345678901234567890, "text":"\\u20ac"}'
const hexes = { text: hexOf("½ €"), invalid: "61ff62", json: hexOf(jsonText), empty: "" } as const

/** A result's bytes, the requested encoding, and the expected `result`. */
const shown: ReadonlyArray<readonly [bytes: keyof typeof hexes, encoding: string, result: string]> = [
  ["text", "hex", `0x${hexes.text}`],
  ["text", "base64", "wr0g4oKs"],
  ["text", "utf8", "½ €"],
  ["text", "json", `0x${hexes.text}`],
  ["invalid", "hex", "0x61ff62"],
  ["invalid", "base64", "Yf9i"],
  ["invalid", "utf8", "a\ufffdb"],
  ["invalid", "json", "0x61ff62"],
  ["empty", "hex", "0x"],
  ["empty", "base64", ""],
  ["empty", "utf8", ""],
  ["empty", "json", "0x"],
  ["json", "utf8", jsonText]
]

const encodesResults = audit<Target>(
  "REST-SHOW-001",
  "MUST",
  "interface.md#get-execute/D3",
  "hex, base64, utf8 and json of text, of invalid UTF-8 and of nothing, in every copy of the result",
  async (target) => {
    const checks = shown.map(async ([bytes, encoding, result]): Promise<ReadonlyArray<Check>> => {
      const query = { execInputs: `0x${hexes[bytes]}`, encoding, includeDebugInfo: "true" }
      const { json } = await execute(target, "echo", query)
      const what = `${bytes} as ${encoding}`
      return [
        same(`${what}: result`, at(json, "data", "result"), result),
        same(`${what}: execute.result`, at(json, "data", "execute", "result"), result),
        same(`${what}: tally.result`, at(json, "data", "tally", "result"), result),
        same(`${what}: dataResult.result`, at(json, "data", "dataResult", "result"), hexes[bytes])
      ]
    })
    return (await Promise.all(checks)).flat()
  }
)

const embedsJson = audit<Target>(
  "REST-SHOW-002",
  "MUST",
  "D3",
  "encoding=json embeds the result's own text: no digit, escape or space changes",
  async (target) => {
    const { text } = await execute(target, "echo", {
      execInputs: `0x${hexes.json}`,
      encoding: "json",
      includeDebugInfo: "true"
    })
    const scalar = await execute(target, "echo", { execInputs: "0.10", encoding: "json" })
    const copies = text.split(`"result":${jsonText}`).length - 1
    return [
      holds("three copies of the result's text, or six with those beside data", copies === 3 || copies === 6, copies),
      holds("a number keeps its digits", scalar.text.includes('"result":0.10'), scalar.text)
    ]
  }
)

const defaultsToHex = audit<Target>(
  "REST-SHOW-003",
  "MUST",
  "interface.md#execute-response/D3",
  "by default the result is hex with 0x; an unknown encoding is 400, naming it",
  async (target) => {
    const { json } = await execute(target, "echo", { execInputs: "0xABCD" })
    return [
      same("result", at(json, "data", "result"), "0xabcd"),
      ...refusesParameter("encoding=xml", await execute(target, "echo", { encoding: "xml" }), "encoding"),
      ...refusesParameter("encoding=HEX", await execute(target, "echo", { encoding: "HEX" }), "encoding")
    ]
  }
)

const showsDebugInformation = audit<Target>(
  "REST-SHOW-004",
  "MUST",
  "interface.md#execute-response/D1",
  "includeDebugInfo adds both phases to data, and nothing without it",
  async (target) => {
    const debug = await execute(target, "printing", { includeDebugInfo: "true" })
    const plain = await execute(target, "printing")
    const phase = (name: string, ...members: ReadonlyArray<string>): unknown => at(debug.json, "data", name, ...members)
    return [
      keysAre("members of data", at(debug.json, "data"), [...dataKeys, "execute", "tally"]),
      keysAre("members of data without it", at(plain.json, "data"), dataKeys),
      ...["execute", "tally"].flatMap((name) => [
        keysAre(`members of ${name}`, phase(name), phaseKeys),
        matches(`${name}.gasUsed`, phase(name, "gasUsed"), decimal),
        same(`${name}.exitCode`, phase(name, "exitCode"), 0)
      ]),
      same("execute.stdout", phase("execute", "stdout"), "exec out\n"),
      same("execute.stderr", phase("execute", "stderr"), "exec err\n"),
      same("tally.stdout", phase("tally", "stdout"), "tally out\n"),
      same("tally.stderr", phase("tally", "stderr"), "tally err\n")
    ]
  }
)

const besideKeys = ["dataRequest", "dataResult", "signature", "result", "execute", "tally"] as const

const showsDebugBeside = audit<Target>(
  "REST-SHOW-005",
  "SHOULD",
  "interface.md#execute-response/D1",
  "with includeDebugInfo the same objects are also beside data, after it, in the same order",
  async (target) => {
    const { json } = await execute(target, "echo", { execInputs: "x", includeDebugInfo: "true" })
    return [
      keysAre("members", json, ["_tag", "data", ...besideKeys]),
      ...besideKeys.map((name) => same(`${name} beside data`, at(json, name), at(json, "data", name)))
    ]
  }
)

const summarises = audit<Target>(
  "REST-SHOW-006",
  "MUST",
  "interface.md#get-execute/D12",
  "includeSummary adds data.summary: credits, cost by parts, gas by phase, data proxies, duration",
  async (target) => {
    const { json } = await execute(target, "echo", { includeSummary: "true", includeDebugInfo: "true" })
    const summary = at(json, "data", "summary")
    const cost = at(summary, "cost")
    return [
      keysAre("members of data", at(json, "data"), [...dataKeys, "execute", "tally", "summary"]),
      keysAre("members", summary, ["creditsUsed", "creditsRemaining", "cost", "gasUsed", "dataProxies", "durationMs"]),
      keysAre("members of cost", cost, ["base", "gas", "dataProxies", "total"]),
      keysAre("members of gasUsed", at(summary, "gasUsed"), ["exec", "tally"]),
      ...["base", "gas", "dataProxies", "total"].map((name) => matches(`cost.${name}`, at(cost, name), decimal)),
      same("total of the parts", at(cost, "total"), partsOf(cost)),
      same("creditsUsed", at(summary, "creditsUsed"), at(cost, "total")),
      same("gasUsed.exec", at(summary, "gasUsed", "exec"), at(json, "data", "execute", "gasUsed")),
      same("gasUsed.tally", at(summary, "gasUsed", "tally"), at(json, "data", "tally", "gasUsed")),
      same("dataProxies", at(summary, "dataProxies"), []),
      holds("durationMs", Number.isInteger(at(summary, "durationMs")), at(summary, "durationMs"))
    ]
  }
)

const chargesWhatItSays = audit<Target>(
  "REST-SHOW-007",
  "MUST",
  "D31/D32/D33",
  "the balance decreases by exactly creditsUsed, also for failed runs, and creditsRemaining is the balance",
  async (target) => {
    const balance = async (): Promise<readonly [remaining: bigint, used: bigint]> => {
      const { json } = await send(target, { path: "/verify" })
      return [wholeAt(json, "remainingCreditsSnapshot"), wholeAt(json, "usedCreditsSnapshot")]
    }
    const checks: Array<Check> = []
    for (const program of ["echo", "failing", "gasHungry"] as const) {
      const [remaining, used] = await balance()
      const { json } = await execute(target, program, { includeSummary: "true" })
      const [remainingAfter, usedAfter] = await balance()
      const charged = wholeAt(json, "data", "summary", "creditsUsed")
      checks.push(
        holds(`${program}: something was charged`, charged > 0n, String(charged)),
        same(`${program}: remaining credits`, String(remainingAfter), String(remaining - charged)),
        same(`${program}: used credits`, String(usedAfter), String(used + charged)),
        same(`${program}: creditsRemaining`, at(json, "data", "summary", "creditsRemaining"), String(remainingAfter))
      )
    }
    return checks
  }
)

const chargesByGas = audit<Target>(
  "REST-SHOW-008",
  "SHOULD",
  "D31",
  "a run that uses much gas costs more than one that uses little",
  async (target) => {
    const cost = async (program: "echo" | "gasHungry"): Promise<bigint> =>
      wholeAt((await execute(target, program, { includeSummary: "true" })).json, "data", "summary", "cost", "gas")
    const [little, much] = [await cost("echo"), await cost("gasHungry")]
    return [holds("more credits for more gas", much > little, [String(little), String(much)])]
  }
)

/** How results are shown. */
export const showAudits: ReadonlyArray<Audit<Target>> = [
  encodesResults,
  embedsJson,
  defaultsToHex,
  showsDebugInformation,
  showsDebugBeside,
  summarises,
  chargesWhatItSays,
  chargesByGas
]
