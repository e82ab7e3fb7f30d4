/** Why each error is sent to a client and what to do about it, with one as it may be sent: what the page of errors says. */

/** What an error means to a client. */
export interface ErrorMeaning {
  readonly cause: string
  readonly cure: string
  /** What it carries, as a service may send it. */
  readonly example: {
    readonly message: string
    readonly details?: Readonly<Record<string, unknown>>
    readonly retryAfterSeconds?: number
  }
}

const exampleProgramId = "e63280254e861139384fa4bb3c4d7716b1764e2e7c46863fff9e9c6a68a67ad5"

/** The meaning of each error by its tag. The error's class takes it from here, so that none is declared without one. */
export const errorMeanings = {
  InvalidParameter: {
    cause: "a parameter breaks its rule, is almost the name of one, or has two different values",
    cure: "correct the parameter that details names, by the rule that stands beside it",
    example: {
      message: "encoding: must be one of hex, base64, utf8, json",
      details: { parameter: "encoding", rule: "must be one of hex, base64, utf8, json" }
    }
  },
  InvalidRequest: {
    cause: "the body or the message as a whole is not what it has to be: not JSON, not an object, a batch, or it ended early",
    cure: "send one JSON object, complete; over WebSocket with jsonrpc, id, method and params",
    example: { message: "the body must be a JSON object" }
  },
  ProgramNotAllowed: {
    cause: "the program is not on the project's allow-list; this is checked before whether it exists",
    cure: "run a program of the list that GET /project shows, or have the operator add this one",
    example: { message: `the program ${exampleProgramId} is not on the project's allow-list`, details: { programId: exampleProgramId } }
  },
  Unauthorized: {
    cause: "there is no key and no ticket, or it is malformed, unknown, expired, revoked or used up",
    cure: "send Authorization: Bearer <API_KEY> with a key that is valid; GET /verify says whether it is, and until when; in a browser, ask for a new ticket",
    example: { message: "The API key is not valid" }
  },
  OutsideTicket: {
    cause:
      "the ticket does not allow this: the use, the program or the origin that details names; no ticket makes tickets or durable feeds",
    cure: "ask for a ticket that allows it, with POST /tickets, or use a key where nobody else can see it; an origin is named in the ticket's origins, or listed in allowedOrigins by the operator, and a proxy has to pass the header Host on",
    example: { message: `the ticket does not allow the program ${exampleProgramId}`, details: { programId: exampleProgramId } }
  },
  TicketLimit: {
    cause: "the project has as many tickets as it may that are valid, or whose budgets are in use",
    cure: "ask for tickets that expire sooner, or have the operator raise limits.ticketsPerProject",
    example: {
      message: "a project has at most 10000 tickets that are valid or in use",
      details: { maxTickets: 10_000 },
      retryAfterSeconds: 1
    }
  },
  InsufficientCredits: {
    cause:
      "the credits that remain, of the project or in the budget of the ticket, do not cover what a run may cost at most, which is held until it ends; nothing ran",
    cure: "have the operator grant credits; a request with dryRun says what a run may cost",
    example: {
      message: "A run holds 1351 credits until its cost is known, and gets back what it does not cost; 1204 remain",
      details: { required: "1351", remaining: "1204" }
    }
  },
  NotFound: {
    cause: "there is nothing at this path",
    cure: "compare the path, and where the service is mounted, with the documentation",
    example: { message: "there is nothing at this path" }
  },
  ProgramNotFound: {
    cause: "no program is deployed under this id, or has this name",
    cure: "correct the id or the name, or have the operator deploy the program; GET /programs lists the names",
    example: { message: `no program is deployed under ${exampleProgramId}`, details: { programId: exampleProgramId } }
  },
  RecordingNotFound: {
    cause: "the project has no run with this id, its report is no longer kept, or the run was not recorded or had more bytes than are kept",
    cure: "ask for the recording when the run starts, with includeRecording; an operator may record every run, and raise limits.recordingBytes",
    example: { message: "the run was not recorded", details: { id: "0b2f7a51-44c1-4a5e-8c3d-9f1e2d3c4b5a" } }
  },
  LastResultNotFound: {
    cause: "nothing is stored for this request: it never ran, or never succeeded",
    cure: "run it once; with mode=last a failure counts too",
    example: { message: "no result of this request is stored", details: { mode: "last" } }
  },
  MethodNotAllowed: {
    cause: "the path exists, but not for this method",
    cure: "use a method that the header Allow, or details, names",
    example: { message: "PUT is not allowed here", details: { allow: "GET, POST" } }
  },
  RequestTimeout: {
    cause: "the request, or its body, was not complete in time; the connection is closed",
    cure: "send it again, on a new connection, and without pauses",
    example: { message: "the body was not complete within 30000 ms", details: { bodyMs: 30_000 } }
  },
  PayloadTooLarge: {
    cause: "the body is longer than the limit",
    cure: "send smaller inputs; details has the limit in bytes",
    example: { message: "the body is larger than 2097152 bytes", details: { maxBytes: 2_097_152 } }
  },
  UriTooLong: {
    cause: "path and query together are longer than the limit",
    cure: "send the parameters in the body of a POST",
    example: { message: "path and query are longer than 16384 bytes", details: { maxUrlBytes: 16_384 } }
  },
  HeadTooLarge: {
    cause: "the head of the request is longer than the server accepts; the connection is closed",
    cure: "send fewer or shorter headers, and the parameters in the body of a POST",
    example: { message: "the head of the request is too large" }
  },
  UnsupportedMediaType: {
    cause: "the body is not declared as JSON, or is compressed",
    cure: "send content-type: application/json, and no content-encoding",
    example: { message: "the body must be JSON with content-type: application/json" }
  },
  IdempotencyKeyReused: {
    cause: "the Idempotency-Key was used for a different request within the last 24 hours",
    cure: "make a new key for each request; repeat one only together with the request that it was made for",
    example: {
      message: "Idempotency-Key: was used for another request within the last 24 hours",
      details: { parameter: "Idempotency-Key" }
    }
  },
  CreditLimitExceeded: {
    cause: "the usage limit of the project for this period is reached; nothing ran",
    cure: "wait for the seconds in Retry-After, when the next period begins, or have the operator raise the limit",
    example: {
      message:
        "A run holds 1351 credits until its cost is known, and gets back what it does not cost; 9204 of 10000 are held or used in this period",
      details: { required: "1351", limit: "10000", used: "9204" },
      retryAfterSeconds: 3_600
    }
  },
  TooManyConnections: {
    cause: "the key has as many WebSocket connections open as it may",
    cure: "close one, or run several feeds on one connection",
    example: { message: "a key has at most 20 connections", details: { maxConnections: 20 } }
  },
  UpgradeRequired: {
    cause: "a plain request to the address of the WebSocket interface, or a handshake of another version of the protocol than 13",
    cure: "open it with a WebSocket client; with a proxy between, see that it passes the headers Upgrade and Connection on",
    example: { message: "this address answers WebSocket upgrades only" }
  },
  MethodNotFound: {
    cause: "there is no such JSON-RPC method",
    cure: "call one of those that the message lists",
    example: { message: "method: must be one of feed.execute, feed.start, feed.stop, feed.follow" }
  },
  FeedNotFound: {
    cause: "no feed of this connection, or no durable feed of the project, has this id",
    cure: "use the id that feed.start or POST /feeds answered; a feed of a connection ends with it, and has to be started again",
    example: { message: "no feed of this connection has this id", details: { feedId: "5f0c4e0a-63b7-4a57-9d3b-0e6d2d7c8a11" } }
  },
  FeedLimit: {
    cause: "the connection runs, or the project has, as many feeds as it may",
    cure: "stop or remove a feed first",
    example: { message: "a connection runs at most 50 feeds", details: { maxFeeds: 50 } }
  },
  FeedOverlapLimit: {
    cause: "a PARALLEL feed has as many runs in flight as it may; this run did not start, and the feed goes on",
    cure: "choose a period that is not much shorter than a run takes, or the mode FIXED or SEQUENTIAL",
    example: { message: "256 runs of this feed are in flight; this one did not start", details: { maxOverlap: 256 } }
  },
  InternalError: {
    cause: "a fault of the service; nothing was charged, and the message reveals no internals",
    cure: "try again later; tell the operator the requestId, under which the cause is in the log",
    example: { message: "an unexpected error; the request was not charged" }
  },
  Overloaded: {
    cause:
      "too many runs are in flight or waiting, too many requests of the connection are unanswered, or the service is stopping; nothing is charged",
    cure: "try again after the seconds in Retry-After, each time later than the time before",
    example: { message: "the service is draining", retryAfterSeconds: 1 }
  },
  Unavailable: {
    cause: "the service's database cannot be reached now",
    cure: "try again after the seconds in Retry-After; with an Idempotency-Key that is safe even if the first request ran",
    example: { message: "the database cannot be reached now; try again", retryAfterSeconds: 1 }
  }
} as const satisfies Readonly<Record<string, ErrorMeaning>>
