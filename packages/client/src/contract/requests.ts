/** What a service is asked for, as plain types; a test holds them equal to the schemas of the contract. */

/** The input of a phase: text in the form that `inputEncoding` says, or an object or list, whose compact JSON is the input. */
export type ProgramInputs = string | ReadonlyArray<unknown> | { readonly [name: string]: unknown }

/** One run. */
export interface ExecuteRequest {
  /** The program of the execution phase: 64 hex characters, or a name that the operator gave it. */
  readonly execProgramId: string
  readonly execInputs?: ProgramInputs | undefined
  /** Defaults to `execProgramId`. */
  readonly tallyProgramId?: string | undefined
  readonly tallyInputs?: ProgramInputs | undefined
  /** Defaults to `auto`: hex after `0x`, else UTF-8 text. */
  readonly inputEncoding?: "auto" | "hex" | "utf8" | "base64" | undefined
  /** Return the last successful result without running or charging anything, if there is one. */
  readonly returnLastResult?: boolean | undefined
  /** The maximum age of that result in seconds. */
  readonly returnLastResultMaxAge?: number | undefined
  /** Which previous result the program is given. */
  readonly injectLastResult?: "success" | "last" | "none" | undefined
  readonly includeSummary?: boolean | undefined
  readonly includeDebugInfo?: boolean | undefined
  readonly noPrefetch?: boolean | undefined
  /** Keep what the run depends on, so that `recording` can give it. */
  readonly includeRecording?: boolean | undefined
  /** How the result is shown; defaults to `hex`, with a result schema to `json`. */
  readonly encoding?: "hex" | "base64" | "utf8" | "json" | undefined
}

/** A stored result. */
export interface LastResultRequest extends ExecuteRequest {
  /** Whether a stored failure counts; defaults to `last`: it does. */
  readonly mode?: "success" | "last" | undefined
}

/** Past runs of one data request. */
export interface ReportsRequest {
  readonly drId: string
  /** Only runs from this time on: a date, an ISO 8601 time, or milliseconds since the epoch. */
  readonly startDate?: string | number | undefined
  /** Only runs before this time. */
  readonly endDate?: string | number | undefined
  /** The maximum number of runs in a page, 1 to 100; 25 by default. */
  readonly amount?: number | undefined
  /** Begins at the page that another one named, as after an error in the middle; the other members are those of the first page. */
  readonly nextPageId?: string | undefined
}

/** How the runs of a feed follow each other. */
export type FeedMode = "FIXED" | "SEQUENTIAL" | "PARALLEL"

/** A place in a durable feed. */
export interface FeedPlace {
  /** When the feed's schedule began, in milliseconds since the Unix epoch. */
  readonly epoch: number
  /** 0, 1, 2 ... in the order of starts within the epoch. */
  readonly seq: number
}

/** What a ticket is for. */
export interface TicketRequest {
  /** How long it may be presented, in milliseconds: 1,000 to 3,600,000; 60,000 by default. */
  readonly expiresInMs?: number | undefined
  /** How many connections or requests it opens together: 1 to 1,000; 1 by default. */
  readonly maxUses?: number | undefined
  readonly allow?: ReadonlyArray<"execute" | "feeds" | "read"> | undefined
  /** Ids or names of programs. */
  readonly programs?: ReadonlyArray<string> | undefined
  /** Origins such as `https://app.example`. */
  readonly origins?: ReadonlyArray<string> | undefined
  /** What all runs under the ticket may cost together, as decimal text. */
  readonly maxCredits?: string | undefined
}
