/** What a package may contain: an allow-list of paths, and source maps whose sources are in the package. */
import { posix } from "node:path"

const always = [/^package\.json$/, /^README\.md$/, /^LICENSE$/]

const ofCode = [
  /^dist\/(?:[A-Za-z0-9]+\/)*[A-Za-z0-9.]+\.(?:js|d\.ts)(?:\.map)?$/,
  /^dist\/bundle\/[A-Za-z0-9./-]+\.js$/,
  /^dist\/(?:bundle\/)?LICENSES\.txt$/,
  /^src\/(?:[A-Za-z0-9]+\/)*[A-Za-z0-9.]+\.ts$/,
  /^bin\/sibyl(?:-conform)?\.js$/,
  // What the command copies for a new program.
  /^(?:src|dist)\/programs\/templates\/[A-Za-z0-9./-]+$/
]

const ofPrograms = [
  /^build\/[a-z-]+\.(?:wasm|json)$/,
  /^(?:sdk|crypto-price|metals-index|equity-session)\/[A-Za-z0-9./-]+\.(?:ts|json)$/,
  /^build\.mjs$/,
  /^catalogue\.(?:js|d\.ts)$/
]

const never = /(?:\.test\.|(?:^|\/)(?:testdata|fixtures)\/|tsbuildinfo)/

/** A page in a browser: components, its styles, and what it is bundled to. */
const ofPages = [/^src\/page\/(?:[a-z]+\/)?[A-Za-z0-9]+\.(?:tsx|css)$/, /^dist\/bundle\/[A-Za-z0-9]+\.css$/]

/** The paths of a package that nobody expects in it. */
export const faultsOfPaths = (name, paths) => {
  const ofThis = name === "@sibyl/programs" ? ofPrograms : [...ofCode, ...(name === "@sibyl/console" ? ofPages : [])]
  const allowed = [...always, ...ofThis]
  return paths
    .filter((path) => never.test(path) || !allowed.some((form) => form.test(path)))
    .map((path) => `${name}: ${path} is not expected`)
}

/** The source maps of a package that point at nothing. `read` gives the text of one of its files. */
export const faultsOfMaps = (name, paths, read) => {
  const known = new Set(paths)
  return paths
    .filter((path) => path.endsWith(".map"))
    .flatMap((path) => {
      const { sourceRoot = "", sources, sourcesContent } = JSON.parse(read(path))
      if (sourcesContent !== undefined) return []
      const missing = sources.filter((source) => !known.has(posix.join(posix.dirname(path), sourceRoot, source)))
      return missing.map((source) => `${name}: ${path} points at ${source}, which is not in the package`)
    })
}
