/** The command line of `sibyl-conform`, read into what to do. */
import { parseArgs } from "node:util"
import { auditPrograms } from "../audits/programs/auditPrograms.ts"
import type { Level } from "../audits/audit.ts"
import { mostCreditsOfAudit } from "./creditBudget.ts"

/** Which audits are wanted: all, or those whose id begins with one of these, of these levels. */
export interface Choice {
  readonly only: ReadonlyArray<string>
  readonly levels: ReadonlyArray<Level>
}

/** Where the service is and how to judge it. */
export interface ConformOptions extends Choice {
  readonly baseUrl: string
  readonly wsUrl?: string | undefined
  readonly apiKey?: string | undefined
  readonly programs: Readonly<Record<string, string>>
  readonly operatorFile?: string | undefined
  readonly waiversFile?: string | undefined
  readonly maxCredits: bigint
  readonly pingIntervalMs?: number | undefined
  readonly loadShare: number
  readonly junitFile?: string | undefined
  readonly jsonFile?: string | undefined
}

/** What the command line asks for. */
export type Command =
  | { readonly kind: "help" }
  | ({ readonly kind: "list" } & Choice)
  | { readonly kind: "explain"; readonly id: string; readonly against?: ConformOptions | undefined }
  | { readonly kind: "writePrograms"; readonly folder: string }
  | { readonly kind: "conform"; readonly options: ConformOptions }
  | { readonly kind: "fault"; readonly message: string }

/** The credits that may be spent, if nothing else is said: ten times what all audits spend with the default tariff. */
export const defaultMaxCredits = 200_000n

/** The help text. */
export const helpText = `Runs the audits of the oracle protocol against a service.

sibyl-conform conform --base-url URL --api-key KEY [OPTIONS]
sibyl-conform conform --list
sibyl-conform conform --explain ID [--base-url URL --api-key KEY]
sibyl-conform conform --write-programs FOLDER

  --base-url URL          Of the REST interface, such as http://127.0.0.1:8717
  --ws-url URL            Of the WebSocket interface; by default ws/v1 below it
  --api-key KEY           Of a project that may run every program; also SIBYL_CONFORM_API_KEY
  --program NAME=ID       The id of one of the kit's programs, if it is not the Keccak-256 of its bytes; repeatable
  --operator FILE         A module that makes keys and deploys programs, or JSON with those made by hand
  --max-credits N         The most that the key's project may spend (default ${defaultMaxCredits}, at least ${mostCreditsOfAudit})
  --waivers FILE          JSON: [{"id", "reason", "until": "YYYY-MM-DD"}]
  --only ID               An id, or how ids begin, such as REST-EXEC; repeatable
  --level LEVEL           MUST, SHOULD or MAY; repeatable
  --load-share F          The part of the load audits' connections, above 0, up to 1 (default 0.1)
  --ping-interval-ms N    How often the service pings (default 30000)
  --junit FILE            Write JUnit's XML
  --json FILE             Write JSON
  --list                  List the audits
  --explain ID            Explain an audit; with a service, run it and show what is sent and what has to come
  --write-programs FOLDER Write the kit's programs, to be deployed by hand

Exit codes: 0 the service conforms, 1 it does not, 2 the command line or a file breaks a rule, or the service cannot be asked.
`

const flags = {
  "base-url": { type: "string" },
  "ws-url": { type: "string" },
  "api-key": { type: "string" },
  program: { type: "string", multiple: true },
  operator: { type: "string" },
  "max-credits": { type: "string" },
  waivers: { type: "string" },
  only: { type: "string", multiple: true },
  level: { type: "string", multiple: true },
  "load-share": { type: "string" },
  "ping-interval-ms": { type: "string" },
  junit: { type: "string" },
  json: { type: "string" },
  list: { type: "boolean" },
  explain: { type: "string" },
  "write-programs": { type: "string" },
  help: { type: "boolean", short: "h" }
} as const

/** A value that breaks its rule. */
class Refused extends Error {}

const urlOf = (name: string, text: string, protocols: ReadonlyArray<string>): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !protocols.includes(url.protocol.slice(0, -1)))
    throw new Refused(`--${name} must be a URL with ${protocols.join(" or ")}, not "${text}"`)
  // Neither is repeated: a password is a secret.
  if (url.username !== "" || url.password !== "") throw new Refused(`--${name} must have no user and no password; the key is --api-key`)
  if (text.includes("?") || text.includes("#")) throw new Refused(`--${name} must end with its path, without ? and #, not "${text}"`)
  return text.replace(/\/+$/, "")
}

const levelOf = (text: string): Level => {
  const level = (["MUST", "SHOULD", "MAY"] as const).find((known) => known === text.toUpperCase())
  if (level === undefined) throw new Refused(`--level must be MUST, SHOULD or MAY, not "${text}"`)
  return level
}

const wholeOf = (name: string, text: string, least: number, most = Infinity): number => {
  if (!/^\d{1,15}$/.test(text) || Number(text) < least || Number(text) > most) {
    const bounds = `of at least ${least}${most === Infinity ? "" : ` and at most ${most}`}`
    throw new Refused(`--${name} must be a whole number ${bounds}, not "${text}"`)
  }
  return Number(text)
}

/** An audit waits for three pings. */
export const longestPingIntervalMs = 600_000

const shareOf = (text: string): number => {
  const share = Number(text)
  if (!(share > 0 && share <= 1)) throw new Refused(`--load-share must be above 0 and at most 1, not "${text}"`)
  return share
}

const programsOf = (texts: ReadonlyArray<string>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    texts.map((text) => {
      const [name = "", id = ""] = text.split("=")
      if (!Object.hasOwn(auditPrograms, name) || !/^[0-9a-f]{64}$/i.test(id))
        throw new Refused(
          `--program must be NAME=ID, a name of ${Object.keys(auditPrograms).join(", ")} and 64 hex characters, not "${text}"`
        )
      return [name, id.toLowerCase()]
    })
  )

type Values = ReturnType<typeof parseArgs<{ options: typeof flags; allowPositionals: true }>>["values"]

const onlyOf = (text: string): string => {
  if (text.trim() === "") throw new Refused("--only is empty, which every id begins with; leave it out for all audits")
  return text
}

const choiceOf = (values: Values): Choice => ({ only: (values.only ?? []).map(onlyOf), levels: (values.level ?? []).map(levelOf) })

/** A secret of continuous integration may be empty, and may end with its line. */
const keyOf = (text: string | undefined): string | undefined => {
  const key = text?.trim() || undefined
  if (key !== undefined && !/^[\x20-\x7e]+$/.test(key))
    throw new Refused("--api-key (or SIBYL_CONFORM_API_KEY) has a character that no key has, such as a line break or a letter beyond ASCII")
  return key
}

const optionsOf = (values: Values, environmentKey: string | undefined): ConformOptions => {
  const baseUrl = values["base-url"]
  if (baseUrl === undefined) throw new Refused("--base-url is missing")
  const wsUrl = values["ws-url"]
  const pingIntervalMs = values["ping-interval-ms"]
  const apiKey = keyOf(values["api-key"]) ?? keyOf(environmentKey)
  if (apiKey === undefined && values.operator === undefined)
    throw new Refused("--api-key is missing (or SIBYL_CONFORM_API_KEY, or --operator with makeKey)")
  return {
    ...choiceOf(values),
    baseUrl: urlOf("base-url", baseUrl, ["http", "https"]),
    // The kit's client dials http: for ws:.
    wsUrl: wsUrl === undefined ? undefined : urlOf("ws-url", wsUrl, ["ws", "wss", "http", "https"]).replace(/^ws/, "http"),
    apiKey,
    programs: programsOf(values.program ?? []),
    operatorFile: values.operator,
    waiversFile: values.waivers,
    maxCredits: BigInt(wholeOf("max-credits", values["max-credits"] ?? String(defaultMaxCredits), Number(mostCreditsOfAudit))),
    pingIntervalMs: pingIntervalMs === undefined ? undefined : wholeOf("ping-interval-ms", pingIntervalMs, 100, longestPingIntervalMs),
    loadShare: shareOf(values["load-share"] ?? "0.1"),
    junitFile: values.junit,
    jsonFile: values.json
  }
}

const commandOf = (args: ReadonlyArray<string>, environmentKey: string | undefined): Command => {
  const { positionals, tokens, values } = parseArgs({ args: [...args], options: flags, allowPositionals: true, strict: true, tokens: true })
  const names = tokens.flatMap((token) => (token.kind === "option" ? [token.name] : []))
  // The last one would count, without a word.
  const twice = names.find((name, at) => names.indexOf(name) !== at && !("multiple" in flags[name]))
  if (twice !== undefined) throw new Refused(`--${twice} is given twice`)
  const [verb, ...others] = positionals
  if (values.help === true || args.length === 0) return { kind: "help" }
  if ((verb !== undefined && verb !== "conform") || others.length > 0)
    throw new Refused(`"${positionals.join(" ")}" is no command of it: only conform`)
  const folder = values["write-programs"]
  if (folder !== undefined) return { kind: "writePrograms", folder }
  if (values.list === true) return { kind: "list", ...choiceOf(values) }
  const { explain } = values
  if (explain !== undefined) {
    const against = values["base-url"] === undefined ? undefined : optionsOf(values, environmentKey)
    return { kind: "explain", id: explain.toUpperCase(), against }
  }
  return { kind: "conform", options: optionsOf(values, environmentKey) }
}

/** Reads the words after the command's name. Never throws: what is wrong is a `fault`. */
export const readCommand = (args: ReadonlyArray<string>, environmentKey?: string): Command => {
  try {
    return commandOf(args, environmentKey)
  } catch (cause) {
    return { kind: "fault", message: cause instanceof Error ? cause.message : String(cause) }
  }
}
