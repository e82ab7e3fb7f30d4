/** Origins of web pages, as browsers write them into the header `Origin`. */

/** The rule for an origin, as told to operators and clients. */
export const originRule =
  "must be an origin as browsers send it, such as https://app.example: lower case, without a path, without the scheme's own port"

const form = /^[a-z][a-z0-9+.-]{0,30}:\/\/(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(?::([1-9][0-9]{0,4}))?$/

const longestOrigin = 300

/** Whether `text` is an origin in that form. `null`, which a page without an origin sends, is none. */
export const isOrigin = (text: string): boolean => {
  const match = text.length > longestOrigin ? null : form.exec(text)
  if (match === null) return false
  const [, port] = match
  const own = text.startsWith("http://") ? "80" : text.startsWith("https://") ? "443" : undefined
  return port === undefined || (port !== own && Number(port) <= 65_535)
}

/**
 * Whether a page of this origin was served under the host that it asks. The scheme is not compared: a reverse proxy that ends TLS leaves none
 * to compare with.
 */
export const isOwnOrigin = (origin: string, host: string | undefined): boolean =>
  host !== undefined && origin.slice(origin.indexOf("://") + "://".length) === host.toLowerCase().replace(/:(?:80|443)$/, "")
