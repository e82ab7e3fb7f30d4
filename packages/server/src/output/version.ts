/** The version of this package, as `GET /info` and `sibyl --version` show it. */
import { readFileSync } from "node:fs"

/** The package's version. */
export const serverVersion: string = (() => {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"))
  return typeof manifest === "object" && manifest !== null && "version" in manifest ? String(manifest.version) : "0.0.0"
})()
