/** One step of a sequence of traffic, as data: the same sequence can be sent to any service, however often. */

/**
 * Texts have places to fill in when they are sent: `«program echo»`, `«PROGRAM echo»` and `«0xprogram echo»` (a program's id, in three
 * spellings), `«drId 2»`, `«page 0»`, `«feed 1»` (of those that were told so far;
 * a number above their count begins again), and `«ticket 0»` (the newest one, `«ticket 1»` the one before).
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

/** In place of a socket's number: the one that was opened last. */
export const newest = -1

/** A JSON-RPC request on one of the open sockets, or the newest; without any, one is opened. Its id counts up. */
export interface Request {
  readonly kind: "request"
  readonly socket: number
  readonly method: string
  /** JSON. */
  readonly params: Template
  readonly waits: boolean
}

/** A ticket that opens WebSockets, several of them at once; `origin`: of the page that asks. */
export interface Present {
  readonly kind: "present"
  readonly ticket: Template
  readonly times: number
  readonly origin: string | undefined
}

/** A command. */
export type Command =
  | Ask
  | Request
  | { readonly kind: "connect"; readonly who: Who }
  | Present
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
  /** Whether it has tickets; absent: it is not asked for any. */
  readonly tickets?: boolean | undefined
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

const presentText = ({ origin, ticket, times }: Present): string =>
  `${times === 1 ? "a WebSocket" : `${times} WebSockets at once`} by the ticket ${ticket}${origin === undefined ? "" : ` (a page of ${origin})`}`

const socketText = (socket: number): string => (socket === newest ? "the newest socket" : `socket ${socket}`)

/** A command as a line for people. */
export const commandText = (command: Command): string => {
  switch (command.kind) {
    case "ask":
      return askText(command)
    case "request":
      return `${command.method} ${command.params} (${socketText(command.socket)}${command.waits ? "" : "; not waited for"})`
    case "connect":
      return `a WebSocket (${whoText(command.who)})`
    case "present":
      return presentText(command)
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
