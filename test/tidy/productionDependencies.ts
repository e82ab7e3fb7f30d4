/** What a package brings into production, by the manifests of the workspace. */

/** The part of a package.json that says what a package needs. */
export interface Manifest {
  readonly name: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** What the package itself needs where it runs: its dependencies, and those that its user installs beside it. */
export const neededBy = ({ dependencies = {}, peerDependencies = {} }: Manifest): ReadonlyArray<string> =>
  Object.keys({ ...dependencies, ...peerDependencies })

/**
 * Everything that a package brings into production, through every package of the workspace: for each name a shortest
 * chain of names that leads to it. What packages from elsewhere bring is not looked at.
 */
export const broughtBy = (name: string, workspace: ReadonlyArray<Manifest>): ReadonlyArray<ReadonlyArray<string>> => {
  const chains = new Map<string, ReadonlyArray<string>>([[name, [name]]])
  for (const [reached, chain] of chains) {
    const manifest = workspace.find((one) => one.name === reached)
    for (const needed of manifest === undefined ? [] : neededBy(manifest)) {
      if (!chains.has(needed)) chains.set(needed, [...chain, needed])
    }
  }
  return [...chains.values()].slice(1)
}

const testLibrary = /^(?:@sibyl\/testing|(?:@effect\/)?vitest|@vitest\/.+|fast-check|@fast-check\/.+)$/

/** The chains from a package to the libraries that tests are written with, in words. */
export const testLibrariesBroughtBy = (name: string, workspace: ReadonlyArray<Manifest>): ReadonlyArray<string> =>
  broughtBy(name, workspace)
    .filter((chain) => testLibrary.test(chain.at(-1) ?? ""))
    .map((chain) => chain.join(" > "))
