/** What the client needs of its runtime, so that tests can give it a network and a clock of their own. */

/** The part of a WebSocket that the client uses; that of browsers, Bun, Node 22 and the package `ws` has it. */
export interface WebSocketLike {
  send(text: string): void
  close(code?: number, reason?: string): void
  onopen: ((event: never) => void) | null
  onmessage: ((event: never) => void) | null
  onclose: ((event: never) => void) | null
  onerror: ((event: never) => void) | null
}

/** The class of such a WebSocket. The second argument: subprotocols or, outside of browsers, an object with `headers`. */
export type WebSocketClass = new (url: string, protocols: Array<string> & { headers?: Record<string, string> }) => WebSocketLike

/** The part of `fetch` that the client uses. */
export type Fetch = (
  url: string,
  init: { readonly method: string; readonly headers: Record<string, string>; readonly body?: string; readonly signal: AbortSignal }
) => Promise<Pick<Response, "headers" | "ok" | "status" | "text"> & Partial<Pick<Response, "redirected" | "url">>>

/** A runtime. */
export interface Platform {
  readonly fetch: Fetch
  /** Undefined where the runtime has none, as Node 20. */
  readonly WebSocket: WebSocketClass | undefined
  /** Calls back once after a time; returns what takes the call back. */
  readonly after: (ms: number, call: () => void) => () => void
  /** From 0 to 1, exclusive. */
  readonly random: () => number
  /** 32 random hex characters or more. */
  readonly newId: () => string
  /** The origin of the page, or of the worker, in which this runs, as its browser sends it; "null" for a file. Undefined outside of browsers. */
  readonly pageOrigin?: string | undefined
}

/** Browsers have it in pages and in workers; a page may have put something else in its place. */
const pageOriginIn = ({ origin }: { readonly origin?: unknown }): string | undefined => (typeof origin === "string" ? origin : undefined)

/** The runtime in which this runs, with what the user gives in its place. */
export const platformOf = (given: { readonly fetch?: Fetch | undefined; readonly WebSocket?: WebSocketClass | undefined }): Platform => ({
  fetch: given.fetch ?? ((url, init) => fetch(url, init)),
  WebSocket: given.WebSocket ?? (globalThis as { readonly WebSocket?: WebSocketClass }).WebSocket,
  after: (ms, call) => {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  },
  random: Math.random,
  newId: () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join(""),
  pageOrigin: pageOriginIn(globalThis)
})
