/** Licences of everything that is installed with Sibyl, from a bill of materials in the form of CycloneDX. */

/** Licences that allow what Apache-2.0 allows and ask for no more than a notice. */
const allowed = new Set([
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "CC0-1.0",
  "ISC",
  "MIT",
  "Unlicense",
  "Zlib"
])

const named = ({ expression, license }) => expression ?? license?.id ?? license?.name ?? ""

/** One of several is enough. */
const isAllowed = (text) =>
  text
    .replaceAll(/[()]/g, "")
    .split(" OR ")
    .some((one) => one.split(" AND ").every((each) => allowed.has(each)))

/** The components without a licence that is allowed. */
export const faultsOfLicences = ({ components }) =>
  components
    .map(({ group, licenses = [], name, version }) => ({
      what: `${group === undefined ? "" : `${group}/`}${name}@${version}`,
      licences: licenses.map(named)
    }))
    .filter(({ licences }) => licences.length === 0 || !licences.every(isAllowed))
    .map(({ licences, what }) => `${what}: ${licences.join(", ") || "no licence"}`)

/** The count of components by licence, as text. */
export const countedLicences = ({ components }) => {
  const counts = new Map()
  for (const { licenses = [] } of components) {
    const text = licenses.map(named).join(" AND ")
    counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  return [...counts].map(([licence, count]) => `${count} ${licence}`).join(", ")
}
