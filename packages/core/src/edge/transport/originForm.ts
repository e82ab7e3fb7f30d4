/** A request target as path and query, whatever form it came in (RFC 9112, section 3.2). */

const authority = /^https?:\/\/[^/?#]*/i

/**
 * Path and query of `/health?a=1`, `http://host/health?a=1` or `/health?a=1#here`, as sent. Clients of a proxy, and every
 * web `Request`, name the whole address; which host they name does not matter.
 */
export const originForm = (target: string): string => {
  const start = target.startsWith("/") ? 0 : (authority.exec(target)?.[0].length ?? 0)
  const fragment = target.indexOf("#")
  if (start === 0 && fragment < 0) return target
  const rest = target.slice(start, fragment < 0 ? undefined : fragment)
  return rest.startsWith("/") ? rest : `/${rest}`
}
