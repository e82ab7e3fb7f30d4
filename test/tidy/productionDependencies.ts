/** The production dependencies of a package, by the manifests of the workspace. */

/** The dependencies in a package.json. */
export interface Manifest {
  readonly name: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
  /** The entries, by path: of each the file in each condition. */
  readonly exports?: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** The sources of entries that are only shipped bundled, with what they import: `src/verify.ts`. */
export const bundledSources = ({ exports = {} }: Manifest): ReadonlyArray<string> => {
  const bundled = (file: string | undefined): boolean => file?.startsWith("./dist/bundle/") === true
  const sourceOf = (entry: Readonly<Record<string, string>>): string => entry["@sibyl/source"]?.slice(2) ?? ""
  const entries = Object.values(exports)
  const plain = new Set(entries.filter((entry) => !bundled(entry["default"])).map(sourceOf))
  return entries
    .filter((entry) => bundled(entry["default"]))
    .map(sourceOf)
    .filter((source) => !plain.has(source))
}

/** What the package needs at run time: its dependencies, and its peer dependencies. */
export const neededBy = ({ dependencies = {}, peerDependencies = {} }: Manifest): ReadonlyArray<string> =>
  Object.keys({ ...dependencies, ...peerDependencies })

/**
 * All production dependencies of a package, through every package of the workspace: for each name a shortest chain of names that leads to
 * it. Dependencies of external packages are not followed.
 */
export const broughtBy = (name: string, workspace: ReadonlyArray<Manifest>): ReadonlyArray<ReadonlyArray<string>> => {
  const chains = new Map<string, ReadonlyArray<string>>([[name, [name]]])
  for (const [reached, chain] of chains) {
    const manifest = workspace.find((one) => one.name === reached)
    for (const needed of manifest === undefined ? [] : neededBy(manifest)) {
      // A package manager does not install an optional peer by itself.
      if (manifest?.peerDependenciesMeta?.[needed]?.optional === true) continue
      if (!chains.has(needed)) chains.set(needed, [...chain, needed])
    }
  }
  return [...chains.values()].slice(1)
}

const testLibrary = /^(?:@sibyl\/testing|(?:@effect\/)?vitest|@vitest\/.+|fast-check|@fast-check\/.+)$/

/** The chains from a package to test libraries, as text. */
export const testLibrariesBroughtBy = (name: string, workspace: ReadonlyArray<Manifest>): ReadonlyArray<string> =>
  broughtBy(name, workspace)
    .filter((chain) => testLibrary.test(chain.at(-1) ?? ""))
    .map((chain) => chain.join(" > "))
