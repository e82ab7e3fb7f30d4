/** What the REST audits need from a service: an address, keys in certain states, programs. */
import type { AuditProgram } from "../programs/auditPrograms.ts"

/** A service under audit. Optional members enable more audits. */
export interface Target {
  /** Without a trailing slash: `http://127.0.0.1:8080/oracle`. */
  readonly baseUrl: string
  /** Sends a request; defaults to the runtime's `fetch`. Lets the audits reach a service in this process. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined
  /** Told what was sent and what came, one entry each, for reports; keys are not hidden. */
  readonly trace?: ((heard: string) => void) | undefined
  /** A key of a project that may run every program and has at least 100,000 credits. */
  readonly apiKey: string
  /** The ids of the kit's deployed programs. */
  readonly programs: Readonly<Record<AuditProgram, string>>
  /** A key of another project that may run every program and has credits. */
  readonly otherTenantKey?: string | undefined
  /** A key of a project without credits. */
  readonly keyWithoutCredits?: string | undefined
  /** A key of a project with credits whose usage limit covers no run. */
  readonly limitedKey?: string | undefined
  /** A key of a project with credits whose usage limit covers one run at a time, in a period of a day or longer. */
  readonly meteredKey?: string | undefined
  /** A key of a project with credits whose allow-list contains only `echo`. */
  readonly restrictedKey?: string | undefined
  /** A revoked key. */
  readonly revokedKey?: string | undefined
  /** A registered and active data proxy, its key compressed in lowercase. */
  readonly dataProxy?: { readonly publicKey: string; readonly name: string; readonly fee: string } | undefined
  /** A name that every project may use, for the kit's `echo`. */
  readonly programName?: string | undefined
  /** How long what runs may take to show or to end, where nothing else bounds it; by default ten seconds or more, by the audit. */
  readonly settlingMs?: number | undefined
  /** Whether the service has tickets (`POST /tickets`). */
  readonly hasTickets?: boolean | undefined
  /** Whether the service records runs that are asked for with `includeRecording`, and no others. */
  readonly hasRecordings?: boolean | undefined
  /** Whether the service lists the keys of a project (`GET /keys`); `false` skips the audits of that. */
  readonly hasKeyList?: boolean | undefined
  /** Whether the service shows programs (`GET /programs`, `GET /programs/{program}`); `false` skips the audits of that. */
  readonly hasProgramRecords?: boolean | undefined
  /** Whether the service has durable feeds (`/feeds`, `feed.follow`); `false` skips the audits of them. */
  readonly hasDurableFeeds?: boolean | undefined
  /** An origin whose pages may use the service; `https://foreign.example` must not be one. */
  readonly allowedOrigin?: string | undefined
  /** Whether only the service answers below the address, so that it has to answer unknown paths. */
  readonly standAlone?: boolean | undefined
}
