/** Bundles the simulation from the sources, as they are or with one of their guards taken out. */
import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** The source with the mutant's text replaced; throws unless the text is there exactly once. */
export const mutated = (source, { file, find, replace }) => {
  const parts = source.split(find)
  if (parts.length !== 2) throw new Error(`${file} has the text ${parts.length - 1} times, not once: ${find}`)
  return parts.join(replace)
}

const mutation = (mutant) => ({
  name: "mutation",
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      if (path !== root + mutant.file) return undefined
      return { contents: mutated(await readFile(path, "utf8"), mutant), loader: "ts" }
    })
  }
})

/** Writes the bundle to `outfile`. The files themselves are not touched. */
export const bundleSimulation = (outfile, mutant) =>
  build({
    entryPoints: [`${root}test/simulation/main.ts`],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "es2023",
    conditions: ["@sibyl/source"],
    external: ["@photostructure/sqlite"],
    logLevel: "error",
    // Some packages are CommonJS and require modules of the runtime.
    banner: { js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);' },
    plugins: mutant === undefined ? [] : [mutation(mutant)]
  })
