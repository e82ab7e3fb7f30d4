/** Hosts that programs may reach, as operators list them: one host, or every name below one. */

/** The rule for an entry, as told to operators. */
export const hostPatternRule =
  "must be a host such as api.example.com, or *.example.com for every name below it: ASCII letters, digits, - and _, or an IP address as URLs write it, without a port"

const form = /^(?:(?:\*\.)?[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*|\[[0-9a-f:.]{2,45}\])$/

const longestHost = 253

/** The entry in lower case and without the dot at its end; `undefined` if it breaks the rule. */
export const readHostPattern = (text: string): string | undefined => {
  const pattern = text.toLowerCase().replace(/\.$/, "")
  return pattern.length <= longestHost && form.test(pattern) ? pattern : undefined
}

/** Whether one of the patterns names this host, which is in the form that URLs give it: lower case, without a dot at its end. */
export const allowsHost = (patterns: ReadonlyArray<string>, hostname: string): boolean =>
  patterns.some((pattern) => (pattern.startsWith("*.") ? hostname.endsWith(pattern.slice(1)) : hostname === pattern))
