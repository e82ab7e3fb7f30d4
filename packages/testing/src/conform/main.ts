/** The command `sibyl-conform`: audits a service by its address. */
import { existsSync } from "node:fs"
import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { programIdOf } from "@sibyl/core"
import { type Audit, toldOf } from "../audits/audit.ts"
import { auditPrograms } from "../audits/programs/auditPrograms.ts"
import type { WsTarget } from "../audits/ws/wsTarget.ts"
import { makeConformTarget } from "./conformTarget.ts"
import { explainAudit, explainRun } from "./explain.ts"
import { fileReason } from "./fileReason.ts"
import { headingOf } from "./headings.ts"
import { humanReport, progressLine } from "./humanReport.ts"
import { jsonReport, junitReport } from "./machineReports.ts"
import { type ConformOperator, readOperatorFile } from "./operatorFile.ts"
import { type Choice, type ConformOptions, helpText, readCommand } from "./options.ts"
import { conformAudits, type ConformEntry, type ConformReport, runConform } from "./runConform.ts"
import { inForce, readWaivers, type Waiver } from "./waivers.ts"

/** What is wrong with a file or the service, for people. */
class Refused extends Error {}

const failWith =
  (what: string) =>
  (cause: unknown): never => {
    if (!(cause instanceof Error)) throw new Refused(`${what}: ${String(cause)}`)
    throw new Refused(`${what}: ${cause.message}${cause.cause === undefined ? "" : `, because of ${toldOf(cause.cause)}`}`)
  }

/** Of a file, by its option. */
const failWithFile =
  (option: string, file: string) =>
  (cause: unknown): never => {
    throw new Refused(`${option} ${file}: ${fileReason(cause)}`)
  }

const out = (text: string): Promise<void> => new Promise((resolve) => process.stdout.write(text, () => resolve()))
const note = (text: string): void => void process.stderr.write(text)

const chosen = ({ levels, only }: Choice): ReadonlyArray<Audit<WsTarget>> =>
  conformAudits.filter(
    ({ id, level }) =>
      (only.length === 0 || only.some((start) => id.startsWith(start.toUpperCase()))) && (levels.length === 0 || levels.includes(level))
  )

const chosenOf = (choice: Choice): ReadonlyArray<Audit<WsTarget>> => {
  const audits = chosen(choice)
  if (audits.length === 0) throw new Refused(`no audit has an id that begins with ${choice.only.join(" or ")} and such a level (--list)`)
  return audits
}

const waiversOf = async (file: string | undefined): Promise<ReadonlyArray<Waiver>> => {
  if (file === undefined) return []
  const text = await readFile(file, "utf8").catch(failWithFile("--waivers", file))
  const read = readWaivers(text, new Set(conformAudits.map(({ id }) => id)))
  if ("fault" in read) throw new Refused(`--waivers ${file}: ${read.fault}`)
  const current = inForce(read.waivers, new Date().toISOString().slice(0, 10))
  for (const { id, until } of read.waivers) {
    if (!current.some((waiver) => waiver.id === id)) note(`The waiver of ${id} ended on ${until} and is not used.\n`)
  }
  return current
}

/** Shows each audit as it ends: on a terminal in one line, elsewhere one line each. */
const makeProgress = (count: number): ((entry: ConformEntry) => void) => {
  let done = 0
  return (entry) => {
    const line = progressLine(entry, (done += 1), count)
    const { columns, isTTY } = process.stderr
    if (!isTTY || entry.result.kind === "failed") note(`${isTTY ? "\r\x1b[2K" : ""}${line}\n`)
    else note(`\r\x1b[2K${line.slice(0, (columns ?? 80) - 1)}${done === count ? "\r\x1b[2K" : ""}`)
  }
}

const conform = async (options: ConformOptions, audits: ReadonlyArray<Audit<WsTarget>>, isShown: boolean): Promise<ConformReport> => {
  const waivers = await waiversOf(options.waiversFile)
  const { operatorFile, pingIntervalMs } = options
  const operator: ConformOperator =
    operatorFile === undefined ? {} : await readOperatorFile(operatorFile).catch(failWithFile("--operator", operatorFile))
  try {
    note(`Preparing the audits of ${options.baseUrl}\n`)
    const prepared = await makeConformTarget(options, operator).catch(failWith("the audits cannot be prepared"))
    const { remainingCredits } = prepared
    const target = pingIntervalMs === undefined ? prepared.target : { ...prepared.target, pingIntervalMs }
    const onEntry = isShown ? makeProgress(audits.length) : () => {}
    return await runConform(target, { audits, maxCredits: options.maxCredits, remainingCredits, waivers, onEntry })
  } finally {
    await operator.close?.()
  }
}

/** A file that cannot be written is told before the audits, not after them. */
const checkWritable = async (option: string, file: string | undefined): Promise<void> => {
  if (file === undefined) return
  if (!existsSync(dirname(file))) throw new Refused(`${option} ${file}: there is no folder ${dirname(file)}`)
  await appendFile(file, "").catch(failWithFile(option, file))
}

const conformAndReport = async (options: ConformOptions): Promise<number> => {
  await checkWritable("--junit", options.junitFile)
  await checkWritable("--json", options.jsonFile)
  const report = await conform(options, chosenOf(options), true)
  if (options.junitFile !== undefined)
    await writeFile(options.junitFile, junitReport(report)).catch(failWithFile("--junit", options.junitFile))
  if (options.jsonFile !== undefined) await writeFile(options.jsonFile, jsonReport(report)).catch(failWithFile("--json", options.jsonFile))
  await out(humanReport(report))
  return report.conforms ? 0 : 1
}

const explain = async (id: string, against: ConformOptions | undefined): Promise<number> => {
  const audit = conformAudits.find((known) => known.id === id)
  if (audit === undefined) throw new Refused(`--explain: there is no audit ${id} (--list)`)
  await out(`${explainAudit(audit)}\n`)
  if (against === undefined) {
    await out("With --base-url and --api-key it is run, and what is sent and what has to come is shown.\n")
    return 0
  }
  const { entries } = await conform(against, [audit], false)
  await out(`${entries.map(explainRun).join("\n")}\n`)
  return entries.some(({ result }) => result.kind === "failed") ? 1 : 0
}

const list = async (choice: Choice): Promise<number> => {
  const lines = chosenOf(choice).map(({ id, level, title }) => `${id}  ${level.padEnd(6)}  ${headingOf(id)}: ${title}`)
  await out(`${lines.join("\n")}\n`)
  return 0
}

const writePrograms = async (folder: string): Promise<number> => {
  await mkdir(folder, { recursive: true }).catch(failWithFile("--write-programs", folder))
  for (const [name, program] of Object.entries(auditPrograms)) {
    const file = join(folder, `${name}.wasm`)
    await writeFile(file, program).catch(failWithFile("--write-programs", folder))
    await out(`${programIdOf(program)}  ${file}\n`)
  }
  return 0
}

const run = async (args: ReadonlyArray<string>): Promise<number> => {
  const command = readCommand(args, process.env["SIBYL_CONFORM_API_KEY"])
  switch (command.kind) {
    case "help":
      await out(helpText)
      return 0
    case "fault":
      throw new Refused(`${command.message}\nsibyl-conform --help tells the options.`)
    case "list":
      return list(command)
    case "explain":
      return explain(command.id, command.against)
    case "writePrograms":
      return writePrograms(command.folder)
    case "conform":
      return conformAndReport(command.options)
  }
}

// Whoever reads has read enough, as `head` has: what is shown is lost, the verdict is not.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (cause: NodeJS.ErrnoException) => {
    if (cause.code !== "EPIPE") throw cause
  })
}

// A connection that a service does not let go of must not keep the command from ending.
process.exit(
  await run(process.argv.slice(2)).catch((cause: unknown) => {
    note(`${cause instanceof Refused ? cause.message : cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}\n`)
    return 2
  })
)
