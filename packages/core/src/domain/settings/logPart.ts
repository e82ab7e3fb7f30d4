/** The parts of a service whose log can have a level of its own. */

/** Every part, with what its lines are about. */
export const logParts = {
  requests: "requests of clients",
  runs: "runs of programs",
  upstreams: "programs' requests to upstreams; each is a line at debug, where programs run",
  feeds: "feeds and who looks after them",
  credits: "holds and reserved credits",
  storage: "what is kept beside runs: reports, retries, uses of keys",
  cluster: "the connection to NATS, and whether executors are heard",
  telemetry: "the way to the collector",
  audit: "what operators change",
  processes: "the processes of a server that end and are started again"
} as const

/** A part. */
export type LogPart = keyof typeof logParts

/** The annotation by which a line says which part it is of. */
export const logPart = (part: LogPart): { readonly part: LogPart } => ({ part })
