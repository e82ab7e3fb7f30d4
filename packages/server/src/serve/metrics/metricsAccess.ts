/** Who may read a server's metrics. */
import type { MetricsAccess } from "@sibyl/telemetry"
import type { MetricsConfiguration } from "../../config/configuration.ts"

/** Nothing is measured. */
export const noMetrics: MetricsConfiguration = { access: "off", token: undefined, own: undefined }

/** The access of a configuration that was checked; `undefined`: there are no metrics. */
export const accessOf = ({ access, token }: MetricsConfiguration): MetricsAccess | undefined => {
  if (access === "open") return { kind: "open" }
  return access === "token" && token !== undefined ? { kind: "token", token } : undefined
}

/** The configuration of a demonstration: its metrics are open unless something else is said. */
export const shownInDemo = (metrics: MetricsConfiguration, demo: boolean): MetricsConfiguration =>
  demo && metrics.access === undefined ? { ...metrics, access: "open" } : metrics
