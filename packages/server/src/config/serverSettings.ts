/** The settings of a server, except limits: where it listens, its data, its prices, which hosts its programs may reach. */
import * as Kind from "./settingKind.ts"
import { setting } from "./setting.ts"

/** The settings by name. A dot leads into an object of the configuration file. */
export const serverSettings = {
  host: setting(Kind.text(), "the address to listen on", "127.0.0.1", "host"),
  port: setting(Kind.wholeNumber(0, 65_535), "the port to listen on; 0 takes a free one", "8717", "port"),
  prefix: setting(
    Kind.text("a path such as /oracle", /^(?:\/[A-Za-z0-9._~-]+)+$/),
    "the path under which everything is served",
    "none",
    "prefix"
  ),
  data: setting(Kind.text(), "the folder that holds the embedded database", ".sibyl", "data"),
  database: setting(
    Kind.database,
    "the database; a password is better kept in the environment or in databaseFile",
    "sqlite:sibyl.sqlite in the data folder",
    "database"
  ),
  databaseFile: setting(Kind.text(), "a file that holds the database's address, instead of database", "none"),
  databaseConnections: setting(Kind.wholeNumber(2, 1_000), "connections to PostgreSQL at most, of each server", "10"),
  network: setting(
    Kind.text("1 to 32 of a-z, 0-9 and -", /^[a-z0-9-]{1,32}$/),
    "the network's name; it stands in every key, and a database belongs to one network",
    "local",
    "network"
  ),
  chainId: setting(
    Kind.text(),
    "what programs see as CHAIN_ID; it also stands in the proofs that data proxies check",
    "sibyl-1-local",
    "chain-id"
  ),
  workers: setting(Kind.wholeNumber(1, 1_024), "workers that run programs", "one for each processor", "workers"),
  isolation: setting(
    Kind.choice("process", "thread"),
    "what the workers are: processes without the server's environment, files and secrets, which a program can take down alone; or threads of the server, which are faster",
    "process",
    "isolation"
  ),
  workerMemoryMib: setting(
    Kind.wholeNumber(128, 1_048_576),
    "the memory of a worker process beyond which it is ended and replaced, in MiB",
    "512"
  ),
  signInThreads: setting(
    Kind.yesOrNo,
    "whether worker threads sign the results of the runs that they end (isolation thread); otherwise the main thread makes every signature, and no worker has the secret",
    "true"
  ),
  console: setting(Kind.yesOrNo, "whether /console, a page on which people run programs, is served", "true"),
  edges: setting(
    Kind.wholeNumber(1, 256),
    "processes that serve on the one port; they share workers, maxRunsInFlight and databaseConnections between them",
    "1",
    "edges"
  ),
  allowedOrigins: setting(
    Kind.origins,
    "origins whose pages may use the service from a browser: REST, and WebSocket with any ticket; /info, /health and the documents are open to all",
    "none"
  ),
  maxRunsInFlight: setting(
    Kind.wholeNumber(1, 1_000_000),
    "runs at once, running and waiting together; one more is answered 503. A project has at most as many as are free",
    "1000"
  ),
  profile: setting(
    Kind.choice("specification", "public-network"),
    "public-network answers field by field as the public network does",
    "specification",
    "profile"
  ),
  payloadField: setting(Kind.choice("servicePayload", "sedaPayload", "both"), "the name of a result's last field", "as the profile says"),
  debugBeside: setting(Kind.yesOrNo, "whether debug information also stands beside data", "as the profile says"),
  lastResultRefresh: setting(
    Kind.choice("never", "background"),
    "whether a cached answer over REST also runs the program again, charged, in the background",
    "as the profile says"
  ),
  replicationFactor: setting(Kind.wholeNumber(1, 20), "how many executors run the execution phase", "1"),
  consensusFilter: setting(Kind.hexBytes, "how the executors' reveals are compared; 00 compares nothing", "00"),
  keepRecordings: setting(
    Kind.yesOrNo,
    "whether every run is recorded, so that it can be run again; otherwise those whose request has includeRecording",
    "false"
  ),
  reportsPerProject: setting(
    Kind.wholeNumber(1, 1_000_000_000),
    "reports of one project that are kept; last results are kept in any case",
    "1000000"
  ),
  logLevel: setting(
    Kind.choice("debug", "info", "warn", "error"),
    "what is logged: info has a line for each request and run, debug also how many requests each run prefetched, and how many it used",
    "info"
  ),
  logFormat: setting(
    Kind.choice("json", "pretty"),
    "how the log is written: lines of JSON, or for people",
    "pretty where standard error is a terminal, else json",
    "log-format"
  ),
  "otlp.endpoint": setting(
    Kind.collectorAddress,
    "the collector that traces, metrics and logs are pushed to by OTLP over HTTP; /v1/traces and so on follow it",
    "OTEL_EXPORTER_OTLP_ENDPOINT, else none"
  ),
  "otlp.headers": setting(
    Kind.collectorHeaders,
    "headers for the collector; better kept in the environment",
    "OTEL_EXPORTER_OTLP_HEADERS, else none"
  ),
  "otlp.serviceName": setting(Kind.text(), "the name under which the collector shows the server", "OTEL_SERVICE_NAME, else sibyl"),
  "otlp.samplePercent": setting(
    Kind.wholeNumber(0, 100),
    "how many traces of a hundred that begin here are recorded; a caller's traceparent decides for its own",
    "100"
  ),
  "otlp.intervalMs": setting(Kind.wholeNumber(1, 3_600_000), "how often telemetry is sent, in ms", "5000"),
  "otlp.timeoutMs": setting(
    Kind.wholeNumber(1, 600_000),
    "how long the collector may take for one request, which is tried three times, in ms",
    "OTEL_EXPORTER_OTLP_TIMEOUT, else 10000"
  ),
  "otlp.traceHosts": setting(
    Kind.texts("a list of hosts, exact or *.example.com"),
    "hosts that are sent the traceparent of a run with programs' requests; programs never see it",
    "none"
  ),
  "metrics.access": setting(
    Kind.choice("off", "open", "token"),
    "who may read GET /metrics: nobody, everyone who reaches the port, or who sends metrics.token as Authorization: Bearer",
    "token if there is a metrics.token, open with --demo, else off",
    "metrics"
  ),
  "metrics.token": setting(Kind.secretText, "the token for metrics; better kept in the environment", "none"),
  "metrics.port": setting(
    Kind.wholeNumber(0, 65_535),
    "a port of its own for GET /metrics, on metrics.host; 0 takes a free one",
    "the service's port"
  ),
  "metrics.host": setting(Kind.text(), "the address of the metrics' own port", "127.0.0.1"),
  retention: setting(Kind.span, "how long reports are kept; last results are kept in any case", "30d"),
  "tariff.base": setting(Kind.credits(0n), "credits for each run", "1"),
  "tariff.gasPerCredit": setting(Kind.credits(1n), "gas that one credit pays for", "1000000000000"),
  "tariff.gasPerWorkerMs": setting(
    Kind.credits(0n),
    "gas that a phase ended by its wall clock is charged for at least, for each ms of worker time",
    "10000000000"
  ),
  "outbound.allowHosts": setting(
    Kind.texts("a list of hosts, exact or *.example.com"),
    "the only hosts that programs may reach",
    "every public host"
  ),
  "outbound.dnsServers": setting(
    Kind.texts("a list of name servers, address or address:port"),
    "who is asked for the addresses of programs' hosts, after the hosts file",
    "the system's"
  ),
  "outbound.hostOverrides": setting(
    Kind.textByName("an object { host: origin }"),
    "origins that stand in for a host; their addresses are not checked. A host has its port (api.example.com:8443) where a program's URL has one that is not the scheme's own",
    "none"
  ),
  "outbound.requestsPerHost": setting(
    Kind.wholeNumber(2, 100_000),
    "requests to one host that may be under way at once in one process, of which one project has at most half; others wait, within their time limits",
    "1024"
  ),
  "outbound.failuresToRest": setting(
    Kind.wholeNumber(0, 1_000),
    "a host that does not answer so many requests in a row is asked nothing for a while, 1 s at first and 16 s at most; 0: never",
    "5"
  ),
  "outbound.hostHeaders": setting(Kind.headersByHost, "headers sent to a host in the operator's name; programs never see them", "none"),
  "outbound.caFiles": setting(
    Kind.texts("a list of files in PEM form"),
    "certificate authorities that are trusted beside the runtime's own",
    "none"
  )
}
