/** What an executor's process is told to do, and what it tells. The settings contain secrets, so they go over its channel. */
import { type ClusterMessage, clusterIn, clusterMessage } from "../config/clusterMessage.ts"
import { otlpIn, type OtlpMessage, otlpMessage } from "../config/otlpMessage.ts"
import type { MetricsAnswer, MetricsQuestion } from "../supervision/gatheredMetrics.ts"
import type { ExecutorSettings } from "./openExecutor.ts"

/** The settings as a message. */
export interface ExecutorOrder extends Omit<ExecutorSettings, "cluster" | "metrics" | "otlp"> {
  readonly cluster: ClusterMessage
  readonly otlp: OtlpMessage | undefined
}

/** To the process. */
export type ToExecutor =
  | { readonly kind: "start"; readonly order: ExecutorOrder }
  /** Finish what is running, then end. */
  | { readonly kind: "drain" }
  | MetricsQuestion

/** From the process. */
export type FromExecutor =
  /** It can be sent its order. */
  | { readonly kind: "ready" }
  | { readonly kind: "working"; readonly executor: string }
  | MetricsAnswer
  /** It cannot work; it ends. */
  | { readonly kind: "failed"; readonly message: string }

/** As a message. */
export const executorOrder = ({
  cluster,
  isolation,
  logFormat,
  logLevel,
  logLevels,
  measures,
  otlp,
  outbound,
  places,
  workerMemoryMib,
  workers
}: ExecutorSettings): ExecutorOrder => ({
  cluster: clusterMessage(cluster),
  isolation,
  logFormat,
  logLevel,
  logLevels,
  ...(measures === undefined ? {} : { measures }),
  otlp: otlpMessage(otlp),
  outbound,
  places,
  workerMemoryMib,
  workers
})

/** From a message. */
export const settingsIn = ({ cluster, otlp, ...others }: ExecutorOrder): ExecutorSettings => ({
  ...others,
  otlp: otlpIn(otlp),
  cluster: clusterIn(cluster)
})
