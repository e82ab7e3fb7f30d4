/** What operators see of a service: its metrics in the text format of Prometheus, and those of its process. */
export { exposition, expositionType } from "./prometheus/exposition.ts"
export { mergeSeries } from "./prometheus/mergeSeries.ts"
export { answerMetrics, everyMetric, type MetricsAccess, type MetricsRoute, metricsTextOf, withMetrics } from "./prometheus/metricsRoute.ts"
export { measureProcess } from "./process/measureProcess.ts"
export { processMetrics } from "./process/processMetricList.ts"
