/**
 * The rooms of each package and their allowed imports, from the bottom up, as checked by the rules and shown in the architecture document.
 */

/**
 * The rooms of one package: folders of `src`, with `.` for `src` itself. Each imports only from the rooms named beside it, or from the
 * rooms in a folder so named, and all of these are above it in the table, so there are no cycles.
 */
export type RoomsOfPackage = Readonly<Record<string, ReadonlyArray<string>>>

/** The rooms by package. */
export const rooms: Readonly<Record<string, RoomsOfPackage>> = {
  core: {
    "domain/encoding": [],
    "domain/runs": [],
    "domain/settings": [],
    "domain/signingKeys": [],
    contract: ["domain/encoding", "domain/runs"],
    "domain/tickets": ["domain/encoding"],
    "domain/accounts": ["contract", "domain/encoding", "domain/settings", "domain/tickets"],
    "domain/programs": ["contract", "domain/encoding", "domain/settings"],
    "domain/dataProxies": ["domain/encoding", "domain/settings"],
    "domain/protocol": ["contract", "domain/encoding", "domain/settings"],
    "domain/reports": ["domain/encoding", "domain/protocol"],
    "domain/feeds": ["contract", "domain/encoding", "domain/protocol", "domain/reports", "domain/runs"],
    "domain/credits": ["contract", "domain/accounts", "domain/programs", "domain/reports", "domain/runs", "domain/settings"],
    verify: ["domain/encoding", "domain/protocol", "domain/signingKeys"],
    ports: ["contract", "domain"],
    "ports/metrics": [],
    "ports/escrow": ["domain", "ports"],
    "ports/signing": ["domain", "ports"],
    "ports/auditTrail": ["domain", "ports"],
    "ports/feeds": ["domain"],
    "ports/tickets": ["domain"],
    "ports/memory": ["domain", "ports", "ports/feeds", "ports/tickets"],
    "services/fibers": ["domain/encoding"],
    "services/logs": ["domain"],
    "services/feeds": ["contract", "domain", "ports", "ports/feeds", "services/fibers"],
    "services/sharedFeeds": ["domain", "ports", "ports/feeds", "services/feeds"],
    "services/tickets": ["contract", "domain", "ports"],
    services: [
      "contract",
      "domain",
      "ports",
      "services/feeds",
      "services/fibers",
      "services/logs",
      "services/sharedFeeds",
      "services/tickets"
    ],
    "edge/transport": ["contract"],
    "edge/access": ["contract", "domain", "ports", "services"],
    "edge/docs": ["contract", "domain", "ports", "services", "edge/transport"],
    "edge/execution": ["contract", "domain", "ports", "services"],
    "edge/ws": ["contract", "domain", "ports", "services", "edge/transport", "edge/access", "edge/execution"],
    "edge/feeds": ["contract", "domain", "ports", "services", "edge/execution", "edge/ws"],
    "edge/tickets": ["contract", "domain", "ports", "services", "edge/execution"],
    "edge/rest": [
      "contract",
      "domain",
      "ports",
      "services",
      "edge/transport",
      "edge/access",
      "edge/docs",
      "edge/execution",
      "edge/feeds",
      "edge/tickets"
    ],
    edge: ["contract", "ports", "services", "edge/transport", "edge/docs", "edge/feeds", "edge/rest", "edge/ws"],
    ".": ["contract", "domain", "verify", "ports", "services", "edge"]
  },
  vm: {
    binary: [],
    tape: [],
    meter: ["binary"],
    "host/state": ["binary", "tape"],
    "host/wasi": ["host/state"],
    "host/seda": ["tape", "host/state"],
    host: ["host/state", "host/wasi", "host/seda"],
    pass: ["binary", "tape", "meter", "host/state", "host"],
    check: ["binary", "host/seda", "pass"],
    pool: ["tape", "host/state", "pass"],
    http: [],
    driver: ["tape", "pass", "pool", "http"],
    profile: ["binary", "tape", "pass"],
    ".": ["host/state", "tape", "pass", "check", "pool", "driver", "profile"]
  },
  sql: {
    database: [],
    migrations: ["database"],
    runs: ["database"],
    feeds: ["database"],
    tickets: ["database"],
    signingKeys: ["database"],
    books: ["database", "runs", "signingKeys"],
    ledger: ["database", "runs"],
    accounts: ["database", "runs", "ledger"],
    registry: ["database", "accounts"],
    postgres: ["database", "migrations"],
    "sqlite/connection": [],
    "sqlite/writer": ["database", "sqlite/connection"],
    sqlite: ["database", "migrations", "runs", "ledger", "sqlite/connection", "sqlite/writer"],
    ".": [
      "database",
      "migrations",
      "runs",
      "feeds",
      "signingKeys",
      "books",
      "ledger",
      "accounts",
      "registry",
      "postgres",
      "sqlite/connection",
      "sqlite/writer",
      "sqlite",
      "tickets"
    ]
  },
  cluster: {
    contract: [],
    connection: [],
    feeds: ["connection"],
    channel: ["contract", "connection"],
    edge: ["contract", "connection", "channel"],
    executor: ["contract", "connection", "channel"],
    survey: ["contract", "connection", "channel"],
    ".": ["connection", "feeds", "edge", "executor", "survey"]
  },
  client: {
    contract: [],
    contracts: ["contract"],
    errors: ["contract"],
    // Credentials, addresses, the platform and waits: what calls and feeds both need.
    ground: ["contract", "errors"],
    rest: ["contract", "errors", "ground"],
    feeds: ["contract", "errors", "ground", "rest"],
    ".": ["contract", "contracts", "errors", "ground", "rest", "feeds"]
  },
  console: {
    "page/visitor": [],
    "page/execute": ["page/visitor"],
    "page/feeds": ["page/visitor"],
    page: ["page/visitor", "page/execute", "page/feeds"],
    ".": []
  },
  telemetry: {
    process: [],
    prometheus: ["process"],
    logs: [],
    otlp: ["logs", "process"],
    ".": ["process", "prometheus", "logs", "otlp"]
  },
  testing: {
    clock: [],
    conformance: [],
    soak: [],
    "laws/form": ["clock"],
    laws: ["clock", "soak", "laws/form"],
    daemon: [],
    nats: ["daemon"],
    postgres: ["daemon"],
    wasm: [],
    wire: [],
    feeds: ["clock"],
    audits: [],
    "audits/programs": ["wasm"],
    "audits/rest/faults": [],
    "audits/rest": ["audits", "audits/programs"],
    "audits/ws": ["wire", "audits", "audits/programs", "audits/rest"],
    adapters: ["wire", "audits"],
    ".": ["clock", "laws", "daemon", "nats", "postgres", "wire", "feeds", "audits", "adapters"]
  },
  devkit: {
    dataProxy: [],
    market: [],
    programs: [],
    ".": ["dataProxy", "programs"]
  },
  server: {
    output: [],
    input: ["output"],
    config: ["input", "output"],
    service: ["output"],
    supervision: ["output"],
    "serve/listen": [],
    "serve/demo": ["output", "service", "serve/listen"],
    "serve/metrics": ["config", "service", "serve/listen"],
    serve: ["config", "output", "service", "serve/listen", "serve/metrics", "serve/demo"],
    "serve/edges": ["config", "output", "service", "supervision", "serve/listen", "serve/metrics", "serve/demo", "serve"],
    cluster: ["config", "output", "service", "supervision", "serve/listen", "serve/metrics", "serve", "serve/edges"],
    doctor: ["config", "input", "output", "service", "serve/listen"],
    "programs/templates": ["output"],
    programs: ["config", "input", "output", "serve/demo", "programs/templates"],
    admin: ["config", "input", "output", "service"],
    backups: ["config", "output", "service"],
    feed: ["output"],
    top: ["output"],
    commands: ["config", "output", "serve/listen", "serve", "serve/edges", "cluster", "doctor", "programs", "admin", "feed", "top"],
    "commands/safekeeping": ["output", "commands", "config", "admin", "backups"],
    commandLine: ["output", "serve/listen", "commands", "commands/safekeeping"],
    ".": ["service", "serve/listen", "serve/edges", "cluster", "commandLine"]
  },
  "adapter-express": { ".": [] },
  "adapter-bun": { ".": [] }
}
