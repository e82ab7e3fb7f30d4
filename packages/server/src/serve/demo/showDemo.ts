/** What a person at the terminal sees of a starting server. */
import type { ServiceOptions } from "@sibyl/core"
import { Effect } from "effect"
import type { Listening } from "../listen/listening.ts"
import { paintFor } from "../../output/paint.ts"
import { serverVersion } from "../../output/version.ts"
import type { Demo } from "./demoProject.ts"
import { btcUsd } from "./btcUsd.ts"
import type { DemoExecution } from "./firstExecution.ts"
import type { OtherExecution } from "./otherExecutions.ts"

const paint = paintFor(process.stdout)

const labelWidth = 11

const row = (label: string, value: string): string => `  ${paint("dim", label.padEnd(labelWidth))} ${value}`

const print = (lines: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.sync(() => {
    process.stdout.write(`${lines.join("\n")}\n`)
  })

/** Dollars with two decimals, from dollars times 10^8. */
export const dollars = (priceE8: bigint): string => {
  const cents = (priceE8 + 500_000n) / 1_000_000n
  return `$${(cents / 100n).toLocaleString("en-US")}.${String(cents % 100n).padStart(2, "0")}`
}

const count = (value: bigint): string => value.toLocaleString("en-US")

/** Name, runtime and database. */
export const showBanner = ({ runtime }: Listening, database: string): Effect.Effect<void> =>
  print(["", `${paint("bold", `Sibyl ${serverVersion}`)} on ${runtime}, data in ${database}`, ""])

/** Where the programs of a server run. */
export interface ShownCluster {
  readonly nats: { readonly servers: ReadonlyArray<string> }
  readonly net: string
}

/** What was started on this machine for it. */
export interface ShownProcesses {
  readonly isNatsOurs: boolean
  readonly executors: ReadonlyArray<number | undefined>
}

/** Where NATS is, and which executors work. */
export const showCluster = ({ nats, net }: ShownCluster, processes: ShownProcesses | undefined): Effect.Effect<void> =>
  print([
    row("nats", `${nats.servers.join(", ")}${processes?.isNatsOurs === true ? ", started for this cluster" : ""}`),
    row(
      "executors",
      processes === undefined ? `those of net ${net}` : `${processes.executors.length} here, processes ${processes.executors.join(", ")}`
    ),
    ""
  ])

/** How a server answers, and how it could. */
export type Profile = NonNullable<ServiceOptions["profile"]>

const profileText = (profile: Profile): string =>
  profile === "specification" ? `${profile} (clients of the public network want --profile public-network)` : profile

const address = (url: string, profile: Profile): ReadonlyArray<string> => [
  row("listening", url),
  row("docs", `${url}/docs`),
  row("profile", profileText(profile))
]

const ending = ["", paint("dim", "Ctrl-C stops the server."), ""]

/** Where operators read its metrics. */
export const showMetrics = (url: string): Effect.Effect<void> => print([row("metrics", url), ""])

/** Where people run programs in a browser. */
export const showConsole = (url: string): Effect.Effect<void> => print([row("console", url), ""])

/** Where a server without a demonstration is. */
export const showListening = (url: string, profile: Profile): Effect.Effect<void> => print([...address(url, profile), ...ending])

/** What `verify` says of the response. */
export const signatureText = ({ publicKey, refusal }: Pick<DemoExecution, "publicKey" | "refusal">): string =>
  refusal === undefined
    ? paint("green", `signature valid, by ${publicKey}`)
    : paint("red", `NOT valid: ${refusal.reason}, ${refusal.message}`)

/** One execution, for a person. */
export const showExecution = (run: DemoExecution): Effect.Effect<void> =>
  print([
    row("program", `crypto-price ${run.programId}`),
    row("asked for", run.pair),
    row("result", `0x${run.resultHex}`),
    row("price", paint("bold", dollars(run.priceE8))),
    row("gas", `execution ${count(run.execGas)}, tally ${count(run.tallyGas)}`),
    row("credits", `${count(run.creditsUsed)} used, ${count(run.creditsRemaining)} remaining`),
    row("drId", run.drId),
    row("signature", signatureText(run)),
    row("took", `${run.durationMs} ms`),
    ""
  ])

/** The other example programs, for a person. */
export const showOthers = (runs: ReadonlyArray<OtherExecution>): Effect.Effect<void> =>
  print(
    runs.flatMap(({ asks, creditsUsed, name, programId, result }) => [
      row("program", `${name} ${programId}`),
      row("asked for", asks),
      row("result", JSON.stringify(result)),
      row("credits", `${count(creditsUsed)} used`),
      ""
    ])
  )

/** Where to go from here. */
export const showInvitation = ({ cryptoPriceId, found, key, keyFile, url }: Demo, profile: Profile): Effect.Effect<void> =>
  print([
    ...address(url, profile),
    row("demo key", `${keyFile}${found ? " (from an earlier start)" : ""}`),
    "",
    "Try it:",
    "",
    `curl -sG '${url}/execute' -H 'Authorization: Bearer ${key}' -d execProgramId=${cryptoPriceId} ` +
      `--data-urlencode 'execInputs={"id":"${btcUsd}","output_format":"json"}' -d encoding=json`,
    ...ending
  ])
