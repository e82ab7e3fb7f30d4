/** What happened in one sequence of traffic, as its clients and its operator saw it: the only thing that the auditor reads. */

/** When something happened: its place among everything, and milliseconds of the client's clock. */
export interface Moment {
  readonly order: number
  readonly atMs: number
}

/** A key, and when it was revoked. Times of the operator are from the call to its return. */
export interface KeyHistory {
  readonly text: string
  readonly tenant: number
  readonly revoked: { readonly from: Moment; readonly to: Moment } | undefined
}

/** Credits that the operator granted. */
export interface Grant {
  readonly tenant: number
  readonly credits: bigint
  readonly from: Moment
  readonly to: Moment
}

/** The answer to a REST request. Names of headers are in lowercase. */
export interface RestAnswer extends Moment {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** A REST request. */
export interface RestCall {
  /** The place of its command in the sequence; absent for what every sequence begins and ends with. */
  readonly step: number | undefined
  /** The project of the key; `undefined` if it is nobody's. */
  readonly tenant: number | undefined
  readonly key: string | undefined
  readonly method: string
  /** Without the query. */
  readonly path: string
  /** Decoded, in order; a name may come twice. */
  readonly query: ReadonlyArray<readonly [name: string, value: string]>
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly sent: Moment
  /** Absent if none came. */
  readonly answer: RestAnswer | undefined
  /** Why none came, as the client was told. */
  readonly lost: string | undefined
}

/** A text frame. */
export interface Frame extends Moment {
  readonly step: number | undefined
  readonly text: string
}

/** A WebSocket, from the request for it. */
export interface SocketHistory {
  readonly step: number | undefined
  readonly tenant: number | undefined
  /** The key, or that with which its ticket was asked for. */
  readonly key: string | undefined
  /** The ticket that was presented in place of a key. */
  readonly ticket?: string | undefined
  /** The page that asked. */
  readonly origin?: string | undefined
  readonly asked: Moment
  /** The status of a refusal. */
  readonly refused: (Moment & { readonly status: number }) | undefined
  readonly opened: Moment | undefined
  readonly sent: ReadonlyArray<Frame>
  readonly heard: ReadonlyArray<Frame>
  /** `by`: who ended it; a crash of the service is neither. */
  readonly ended: (Moment & { readonly by: "client" | "service" | "crash"; readonly code: number }) | undefined
}

/** A span in which something was so; without an end, until the end of the sequence. */
export interface Span {
  readonly from: Moment
  readonly to: Moment | undefined
}

/** One sequence. */
export interface History {
  readonly keys: ReadonlyArray<KeyHistory>
  readonly grants: ReadonlyArray<Grant>
  readonly calls: ReadonlyArray<RestCall>
  readonly sockets: ReadonlyArray<SocketHistory>
  /** From the kill until the service answered again. */
  readonly crashes: ReadonlyArray<Span>
  /** From before the upstream failed until after it recovered. */
  readonly outages: ReadonlyArray<Span>
  /** Until then every request had time to be answered; then the clients left. */
  readonly rested: Moment | undefined
  /** From then on nothing ran any more: what was asked after it shows what is left. */
  readonly settled: Moment | undefined
  /** The ids of the kit's programs that are deployed, by name, and of the one that asks the upstream. */
  readonly programs: Readonly<Record<string, string>>
  /** How far times may be off, in ms; `undefined`: the machine may be busy, and only the service's own times are compared. */
  readonly toleranceMs: number | undefined
  /** Runs of one PARALLEL feed that may overlap. */
  readonly feedOverlap: number
}

/** Whether one thing ended before another began. */
export const isBefore = (one: Moment | undefined, other: Moment): boolean => one !== undefined && one.order < other.order
