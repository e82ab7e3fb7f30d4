/** Every metric of a server, in the order in which they are shown. */
import { counter, duration, gauge, type MetricDescriptor, shortDuration, size } from "./metricDescriptor.ts"

/** The metrics by what they measure. */
export const metricList = {
  requests: counter("sibyl_http_requests_total", "Answered requests, by route and status.", ["route", "status"]),
  overProjectLimit: counter(
    "sibyl_http_requests_over_project_limit_total",
    "Requests that were answered 503 because their project had as many runs in flight as `limits.runsPerProject` allows."
  ),
  requestSeconds: duration("sibyl_http_request_duration_seconds", "From a request's arrival to its answer.", ["route"]),

  runs: counter(
    "sibyl_runs_total",
    "Runs by how they ended: `success`, `failed` (exit code not 0), `stored` (a stored result was answered), or the `_tag` of why there was no run.",
    ["outcome", "program"]
  ),
  runSeconds: duration("sibyl_run_duration_seconds", "From the begin of a run's execution phase to its signed result.", []),
  phaseSeconds: duration("sibyl_phase_duration_seconds", "From the begin of a phase to its end, with its requests to upstreams.", [
    "phase"
  ]),
  phasePasses: size("sibyl_phase_passes", "Passes of a phase: one, and one more for each time it went on with an answer.", ["phase"]),
  queueSeconds: shortDuration("sibyl_queue_wait_seconds", "How long passes waited for a worker.", []),
  runsInFlight: gauge("sibyl_runs_in_flight", "Runs that are admitted and have not ended.", []),
  workersReady: gauge("sibyl_workers_ready", "Workers that are up; of a server whose programs run elsewhere, executors.", []),

  workersLost: counter(
    "sibyl_workers_lost_total",
    "Workers that were ended and replaced: a phase had reached its `deadline`, they had too much `memory`, or they ended otherwise (`crash`).",
    ["reason"]
  ),

  limitsReached: counter(
    "sibyl_limits_reached_total",
    "Limits that phases of runs reached, which ended them, cut their output or rejected calls, by the name of the setting.",
    ["limit"]
  ),

  feeds: gauge("sibyl_feeds_running", "Feeds that run.", ["mode"]),
  feedLateness: shortDuration("sibyl_feed_lateness_seconds", "How late a feed's runs start after their time.", ["mode"]),
  feedStartsDropped: counter(
    "sibyl_feed_starts_dropped_total",
    "Starts of feeds that were skipped because their client does not read, or was sent as many refused runs as it may be.",
    ["mode"]
  ),
  feedStartsOverlapping: counter(
    "sibyl_feed_starts_overlapping_total",
    "Starts of feeds that were refused because too many runs were in flight: of a PARALLEL feed, or of the plain feeds of its connection."
  ),

  connections: gauge("sibyl_ws_connections", "Open WebSockets.", []),
  connectionsClosed: counter(
    "sibyl_ws_closed_total",
    "WebSockets that the service closed. `slow_reader`: their client did not read; `no_pong`: it answered no ping; `flood`: it sent more than is read, or too much that was refused.",
    ["reason"]
  ),
  framesSent: counter("sibyl_ws_frames_sent_total", "Messages sent over WebSockets.", []),
  framesReceived: counter("sibyl_ws_frames_received_total", "Messages received over WebSockets.", []),
  outboxBytes: gauge("sibyl_ws_outbox_bytes", "Bytes that are sent and not yet taken by clients, of all WebSockets.", []),

  creditsHeld: counter("sibyl_credits_held_total", "Credits that were held for runs before they began.", []),
  creditsPosted: counter("sibyl_credits_posted_total", "Credits that runs were charged.", []),
  creditsRefused: counter(
    "sibyl_credits_refused_total",
    "Runs that were refused because credits were short, by the `_tag` of the refusal.",
    ["reason"]
  ),
  ledgerGroup: size("sibyl_ledger_group_size", "Ledger operations that were committed together.", []),
  ledgerSeconds: shortDuration("sibyl_ledger_commit_seconds", "From the begin of a ledger transaction to its commit.", []),

  diskFree: gauge("sibyl_disk_free_bytes", "Free space of the disk that has the embedded database; absent on PostgreSQL.", [], "min"),

  upstreamRequests: counter(
    "sibyl_upstream_requests_total",
    "Requests of programs, by host and how they ended: `2xx` to `5xx`, `timeout`, `refused`, or `resting`: not sent, because the host had not answered lately.",
    ["host", "outcome"]
  ),
  upstreamSeconds: duration("sibyl_upstream_duration_seconds", "How long upstreams took to answer.", ["host"]),
  upstreamBytes: counter("sibyl_upstream_bytes_total", "Bytes of upstreams' answers, decoded.", ["host"]),
  upstreamStaleness: gauge(
    "sibyl_upstream_staleness_seconds",
    "Time since the host last answered with a status of 2xx or 3xx; since it was first asked, if it never did.",
    ["host"],
    "min"
  ),

  executorRetries: counter(
    "sibyl_executor_retries_total",
    "Runs that were offered to another executor: the first was `lost` or `full`, or stayed `silent`.",
    ["reason"]
  )
} as const satisfies Readonly<Record<string, MetricDescriptor>>

/** All of them. */
export const allMetrics: ReadonlyArray<MetricDescriptor> = Object.values(metricList)
