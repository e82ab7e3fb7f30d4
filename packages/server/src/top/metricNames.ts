/** The metrics that `sibyl top` reads. */

/** Their names, by what is shown of them; those of histograms without `_bucket`. A test compares them with what a server measures. */
export const names = {
  startTime: "process_start_time_seconds",
  cpu: "process_cpu_seconds_total",
  memory: "process_resident_memory_bytes",
  heap: "sibyl_heap_used_bytes",
  eventLoop: "sibyl_event_loop_delay_seconds",
  runs: "sibyl_runs_total",
  runsInFlight: "sibyl_runs_in_flight",
  runDuration: "sibyl_run_duration_seconds",
  phaseDuration: "sibyl_phase_duration_seconds",
  queueWait: "sibyl_queue_wait_seconds",
  workers: "sibyl_workers_ready",
  feeds: "sibyl_feeds_running",
  lateness: "sibyl_feed_lateness_seconds",
  droppedStarts: "sibyl_feed_starts_dropped_total",
  overlappingStarts: "sibyl_feed_starts_overlapping_total",
  connections: "sibyl_ws_connections",
  outbox: "sibyl_ws_outbox_bytes",
  upstreamRequests: "sibyl_upstream_requests_total",
  upstreamDuration: "sibyl_upstream_duration_seconds",
  upstreamStaleness: "sibyl_upstream_staleness_seconds",
  held: "sibyl_credits_held_total",
  posted: "sibyl_credits_posted_total",
  refused: "sibyl_credits_refused_total",
  commit: "sibyl_ledger_commit_seconds",
  retries: "sibyl_executor_retries_total"
} as const
