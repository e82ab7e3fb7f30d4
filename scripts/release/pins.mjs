/** Versions of dependencies: exact, so that two installs of one version of Sibyl are the same; only peers are ranges. */

const exact = /^(?:npm:(?:@[a-z0-9-]+\/)?[a-z0-9.-]+@)?\d+\.\d+\.\d+(?:-[a-z0-9.-]+)?$/

/** Types that an embedder has in its own version: two copies of them contradict each other. */
const sharedTypes = new Set(["@types/bun", "@types/express", "@types/node"])

/** What is wrong with the dependencies of one manifest. */
export const faultsOfPins = ({ dependencies, devDependencies, name, optionalDependencies }) =>
  Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
    .filter(([dependency, version]) => !exact.test(version) && !sharedTypes.has(dependency))
    .map(([dependency, version]) => `${name}: ${dependency} is ${version}, not one version`)
