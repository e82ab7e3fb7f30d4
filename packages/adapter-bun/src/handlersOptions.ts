/** The options of the handlers for a `Bun.serve` of an embedder. */
import type { MountPoint } from "@sibyl/core"

/** Where the service is mounted, and whose the other paths are. */
export interface HandlersOptions extends MountPoint {
  /**
   * Whether paths that the service does not have are answered with its 404 `NotFound`; for `Bun.serve({ ...createHandlers(service, { standAlone: true }) })`,
   * whose `routes` come first. By default they are yours; where you do not answer them, Bun does: 200, "Welcome to Bun!".
   */
  readonly standAlone?: boolean
}
