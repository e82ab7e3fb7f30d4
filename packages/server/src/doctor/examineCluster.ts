/** Whether a server could give its programs to executors, or an executor could work for servers: NATS, its bounds, and who works there. */
import type { NetRole, NetSurvey, SeenExecutor } from "@sibyl/cluster"
import { Cause, Effect, Logger, LogLevel } from "effect"
import type { ClusterConfiguration } from "../config/configuration.ts"
import { serverVersion } from "../output/version.ts"
import { type Finding, finding, firstLine } from "./finding.ts"

/** Five heartbeats. */
const listenMs = 1_000
const connectMs = 3_000

/** The oldest line of NATS that got repairs when this was written. */
const oldestSupported = [2, 12] as const
/** Tapes of runs are larger than NATS's own bound of 1 MiB. */
const askedPayloadBytes = 8_388_608
const slowMs = 20
/** As between a server and its database. */
const toleratedMs = 2_000

const isLoopback = (address: string): boolean => /^\w+:\/\/(?:127\.\d+\.\d+\.\d+|localhost|\[::1\])(?::|$)/.test(address)

const isSupported = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  const [oldMajor, oldMinor] = oldestSupported
  return major > oldMajor || (major === oldMajor && minor >= oldMinor)
}

const serverFinding = ({ server: { version } }: NetSurvey, servers: ReadonlyArray<string>): Finding => {
  const where = `${servers.join(", ")}, version ${version}`
  return isSupported(version) || servers.every(isLoopback)
    ? finding("nats", "ok", where)
    : finding("nats", "warning", `${where}, which gets no repairs any more: update it to ${oldestSupported.join(".")} or newer`)
}

const payloadFinding = ({ server: { maxPayloadBytes } }: NetSurvey): Finding => {
  const shown = `${maxPayloadBytes.toLocaleString("en-US")} bytes`
  return maxPayloadBytes >= askedPayloadBytes
    ? finding("nats max_payload", "ok", shown)
    : finding("nats max_payload", "warning", `${shown}: set max_payload: ${askedPayloadBytes}, or large runs go in many parts`)
}

const roundTripFinding = ({ roundTripMs }: NetSurvey): Finding =>
  roundTripMs <= slowMs
    ? finding("nats round trip", "ok", `${roundTripMs.toFixed(2)} ms`)
    : finding("nats round trip", "warning", `${roundTripMs.toFixed(0)} ms: each run waits for several of them`)

const ofRole = { edge: "an edge", executor: "an executor" } as const

const permissionsFinding = ({ refused }: NetSurvey, role: NetRole): Finding =>
  refused.length === 0
    ? finding("nats permissions", "ok", `those of ${ofRole[role]}`)
    : finding("nats permissions", "failed", `as ${ofRole[role]}, this user may not: ${refused.join("; ")}${otherRole(refused, role)}`)

/** Who asks for the other role by mistake would otherwise look for a fault in NATS's configuration. */
const otherRole = (refused: ReadonlyArray<string>, role: NetRole): string =>
  role === "edge" && refused.some((text) => text.startsWith("subscribe to sibyl.beat."))
    ? " (doctor --executor looks for an executor's)"
    : ""

const different = (texts: ReadonlyArray<string>): string => [...new Set(texts)].toSorted().join(", ")

const executorsFinding = ({ executors, mayHear, otherVersions }: NetSurvey, { net }: ClusterConfiguration): Finding => {
  const check = "executors"
  if (!mayHear) return finding(check, "skipped", "not without a permission to hear them")
  const strangers = `there are executors that speak version ${otherVersions.join(", ")} of the contract, which this server does not understand`
  if (executors.length === 0 && otherVersions.length > 0) return finding(check, "failed", `${strangers}: update one or the other`)
  if (executors.length === 0) return finding(check, "failed", `nobody serves the net ${net}: start sibyl executor with --net ${net}`)
  const able = executors.filter(({ isUnderstood }) => isUnderstood)
  const engines = different(executors.map(({ engine }) => engine))
  const versions = different(executors.map(({ version }) => version))
  const free = able.reduce((sum, one) => sum + one.free, 0)
  const all = `${executors.length} of net ${net}, room for ${free} runs; engine ${engines}; version ${versions}`
  if (able.length === 0) return finding(check, "failed", `${all}: none speaks this server's contract; update them`)
  if (able.every(({ takesNone }) => takesNone === true))
    return finding(check, "failed", `${all}: all are being stopped, or cut off from orders`)
  if (otherVersions.length > 0) return finding(check, "warning", `${all}; ${strangers}`)
  const isMixed = engines.includes(", ") || versions !== serverVersion || able.length < executors.length
  return isMixed
    ? finding(check, "warning", `${all} (this server: ${serverVersion}): fine while they are upgraded, not for long`)
    : finding(check, "ok", all)
}

const clockFinding = (executors: ReadonlyArray<SeenExecutor>): ReadonlyArray<Finding> => {
  const ahead = executors.flatMap(({ clockAheadMs }) => (clockAheadMs === undefined ? [] : [clockAheadMs]))
  if (ahead.length === 0) return []
  const [behind, before] = [Math.min(...ahead), Math.max(...ahead)]
  const most = Math.max(-behind, before)
  const shown = `within ${most} ms of this machine's`
  return [
    most <= toleratedMs
      ? finding("executors' clocks", "ok", shown)
      : finding("executors' clocks", "warning", `only ${shown}: set the clocks (programs are told the executor's time)`)
  ]
}

/** What a survey means. */
export const clusterFindings = (survey: NetSurvey, cluster: ClusterConfiguration, role: NetRole = "edge"): ReadonlyArray<Finding> => [
  serverFinding(survey, cluster.nats.servers),
  payloadFinding(survey),
  roundTripFinding(survey),
  permissionsFinding(survey, role),
  ...(role === "edge" ? [executorsFinding(survey, cluster)] : []),
  ...clockFinding(survey.executors)
]

/** Every finding about the cluster. An edge listens for a second, and what is sent has no effect on anybody. */
export const examineCluster = (cluster: ClusterConfiguration, role: NetRole = "edge"): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.gen(function* () {
    const { NatsConnection, surveyNet } = yield* Effect.promise(() => import("@sibyl/cluster"))
    const connection = NatsConnection.layer({ name: "sibyl doctor", firstConnectMs: connectMs, ...cluster.nats })
    return clusterFindings(yield* Effect.provide(surveyNet(cluster.net, listenMs, role), connection), cluster, role)
  }).pipe(
    // What the connection would log is in the findings.
    Logger.withMinimumLogLevel(LogLevel.None),
    Effect.catchAllCause((cause: Cause.Cause<unknown>) =>
      Effect.succeed([
        finding("nats", "failed", firstLine(cause)),
        ...(role === "edge" ? [finding("executors", "skipped", "not without NATS")] : [])
      ])
    )
  )
