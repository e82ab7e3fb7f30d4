/** One step of a sequence of traffic, as data: the same sequence can be sent to any service, however often. */

/**
 * Texts have places to fill in when they are sent: `«program echo»`, `«PROGRAM echo»` and `«0xprogram echo»` (a program's id, in three
 * spellings), `«drId 2»`, `«page 0»` and `«feed 1»` (of those that were told so far; a number above their count begins again).
 */
export type Template = string

/** Whose key a request has: of a project (the keys in turn; a number above their count begins again), or none that the service knows. */
export type Who = { readonly tenant: number; readonly key: number } | "nobody" | "a stranger" | "a garbled key"

/** A REST request. */
export interface Ask {
  readonly kind: "ask"
  readonly who: Who
  readonly method: string
  readonly path: Template
  readonly query: ReadonlyArray<readonly [name: string, value: Template]>
  readonly headers: Readonly<Record<string, string>>
  readonly body: Template | undefined
  /** Whether the next command waits for the answer. */
  readonly waits: boolean
}

/** A JSON-RPC request on one of the open sockets; without any, one is opened. Its id counts up. */
export interface Request {
  readonly kind: "request"
  readonly socket: number
  readonly method: string
  /** JSON. */
  readonly params: Template
  readonly waits: boolean
}

/** A command. */
export type Command =
  | Ask
  | Request
  | { readonly kind: "connect"; readonly who: Who }
  /** A text frame that is no request. */
  | { readonly kind: "frame"; readonly socket: number; readonly text: string }
  | { readonly kind: "disconnect"; readonly socket: number; readonly politely: boolean }
  | { readonly kind: "revoke"; readonly tenant: number; readonly key: number }
  | { readonly kind: "issue"; readonly tenant: number }
  | { readonly kind: "grant"; readonly tenant: number; readonly credits: number }
  | { readonly kind: "pass"; readonly ms: number }
  | { readonly kind: "upstream"; readonly works: boolean }
  | { readonly kind: "crash" }

/** What a target can do beside answering. What it cannot do is not asked for. */
export interface Abilities {
  readonly tenants: number
  readonly revoke: boolean
  readonly issue: boolean
  readonly grant: boolean
  readonly crash: boolean
  readonly upstream: boolean
  /** Whether time is simulated, so that waiting costs nothing. */
  readonly clock: boolean
}

const whoText = (who: Who): string => (typeof who === "string" ? who : `tenant ${who.tenant}, key ${who.key}`)

const queryText = (query: Ask["query"]): string =>
  query.length === 0 ? "" : `?${query.map(([name, value]) => (value === "" ? name : `${name}=${value}`)).join("&")}`

const askText = ({ body, headers, method, path, query, waits, who }: Ask): string =>
  [
    `${method} ${path}${queryText(query)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined ? [] : [body]),
    `(${whoText(who)}${waits ? "" : "; not waited for"})`
  ].join(" ")

/** A command as a line for people. */
export const commandText = (command: Command): string => {
  switch (command.kind) {
    case "ask":
      return askText(command)
    case "request":
      return `${command.method} ${command.params} (socket ${command.socket}${command.waits ? "" : "; not waited for"})`
    case "connect":
      return `a WebSocket (${whoText(command.who)})`
    case "frame":
      return `the frame ${command.text} (socket ${command.socket})`
    case "disconnect":
      return command.politely ? `socket ${command.socket} is closed` : `socket ${command.socket} is gone`
    case "revoke":
      return `key ${command.key} of tenant ${command.tenant} is revoked`
    case "issue":
      return `tenant ${command.tenant} gets another key`
    case "grant":
      return `tenant ${command.tenant} is granted ${command.credits} credits`
    case "pass":
      return `${command.ms} ms pass`
    case "upstream":
      return command.works ? "the upstream recovers" : "the upstream fails"
    case "crash":
      return "the service is killed and started again"
  }
}
