/**
 * `prepack` of every package: ends with 1 where files that its manifest names are not built. npm packs such a package without a word, and
 * whoever installs it misses them much later. `npm pack` runs it in the folder of the package.
 */
import { existsSync, readFileSync } from "node:fs"
import { pathToFileURL } from "node:url"

/** Paths that a manifest names for those who install it: of its exports, except patterns and sources of other packages here, and of its commands. */
const pathsIn = (value) => {
  if (typeof value === "string") return value.includes("*") ? [] : [value]
  return Object.entries(value ?? {}).flatMap(([condition, inner]) => (condition === "@sibyl/source" ? [] : pathsIn(inner)))
}

const folder = pathToFileURL(`${process.cwd()}/`)
const { bin, exports, name } = JSON.parse(readFileSync(new URL("package.json", folder), "utf8"))
const missing = [...new Set([...pathsIn(exports), ...pathsIn(bin)])].filter((path) => !existsSync(new URL(path, folder)))
if (missing.length > 0) {
  const shown = missing.slice(0, 3).join(", ") + (missing.length > 3 ? `, and ${missing.length - 3} more` : "")
  process.stderr.write(
    `${name} cannot be packed: it is not built (there is no ${shown}). Run \`npm run build\` in the root of the checkout.\n`
  )
  process.exitCode = 1
}
