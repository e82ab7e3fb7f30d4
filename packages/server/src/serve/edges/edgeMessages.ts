/** The messages between the supervisor and its edges. They go in the order of their sending, each way. */
import type { Answers, Message } from "@sibyl/sql"
import type { RelayedLog, RelayedRelease, RelayedResult, Series } from "@sibyl/core"
import type { MetricsAnswer, MetricsQuestion } from "../../supervision/gatheredMetrics.ts"
import type { EdgeOrder } from "./edgeOrder.ts"

/** News of a feed as it goes over the channel: a result's text in UTF-8. */
export type SentNews = RelayedLog | RelayedRelease | (Omit<RelayedResult, "message"> & { readonly bytes: Uint8Array })

/** From the supervisor to an edge. */
export type ToEdge =
  | { readonly kind: "start"; readonly order: EdgeOrder; readonly scope: string }
  /** Finish what is running, then end. */
  | { readonly kind: "drain" }
  /** The answer to `count` or `opened` of this number. */
  | { readonly kind: "elsewhere"; readonly ask: number; readonly connections: number }
  /** The answer to `askPlaces`; 0 if all places of the project are in use. */
  | { readonly kind: "places"; readonly projectId: string; readonly places: number }
  /** Give back what is not in use: another edge needs a place. */
  | { readonly kind: "recall"; readonly projectId: string }
  /** What an edge tells of a shared feed to which this one listens. */
  | { readonly kind: "news"; readonly feedKey: string; readonly news: SentNews }
  | MetricsQuestion
  /** What all edges and executors have measured, each for itself: the answer to `askMetrics`. */
  | { readonly kind: "allMetrics"; readonly ask: number; readonly ofEdges: ReadonlyArray<ReadonlyArray<Series>> }
  /** What the writer of a SQLite file answers. */
  | { readonly kind: "written"; readonly answers: Answers }
  /** The writer has died, and with it the link that the edge had to it. */
  | { readonly kind: "writerLost"; readonly why: string }

/** From an edge to the supervisor about limits that all edges share. */
export type AboutLimits =
  | { readonly kind: "count"; readonly ask: number; readonly apiKeyId: string }
  | { readonly kind: "opened"; readonly ask: number; readonly apiKeyId: string }
  | { readonly kind: "closed"; readonly apiKeyId: string }
  | { readonly kind: "askPlaces"; readonly projectId: string; readonly max: number }
  | { readonly kind: "returnPlaces"; readonly projectId: string; readonly places: number; readonly isRecalled: boolean }

/** From an edge to the supervisor about feeds that edges share. */
export type AboutFeeds =
  | { readonly kind: "listens"; readonly feedKey: string; readonly listens: boolean }
  /** For the other edges that listen. */
  | { readonly kind: "news"; readonly feedKey: string; readonly news: SentNews }

/** From an edge to the supervisor about what was measured. */
export type AboutMetrics =
  /** What have all edges measured? */
  { readonly kind: "askMetrics"; readonly ask: number } | MetricsAnswer

/** From an edge to the supervisor. */
export type FromEdge =
  /** It can be sent its order. */
  | { readonly kind: "ready" }
  | { readonly kind: "listening"; readonly url: string; readonly runtime: string; readonly metrics?: string }
  /** The edge cannot serve; it ends. */
  | { readonly kind: "failed"; readonly message: string }
  /** For the writer of a SQLite file, over the edge's link of this number. */
  | { readonly kind: "write"; readonly link: number; readonly messages: ReadonlyArray<Message> }
  | AboutLimits
  | AboutFeeds
  | AboutMetrics
