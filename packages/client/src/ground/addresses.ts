/** The addresses of a service: what the user gives, and what is made of it. */
import { InvalidOption } from "../errors/clientError.ts"

const addressOf = (text: string): string => {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    throw new InvalidOption("url", `must be an address such as https://oracle.example, not ${JSON.stringify(text)}`)
  }
  if (!/^https?:$/.test(url.protocol)) throw new InvalidOption("url", "must begin with https:// or http://")
  if (url.username !== "" || url.password !== "") throw new InvalidOption("url", "must have no user or password: give a key as auth")
  if (/[?#]/.test(text)) throw new InvalidOption("url", "must have no query and no fragment: they would not be sent")
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`
}

/** The base addresses without a slash at their end, each once. Throws {@link InvalidOption}. */
export const addressesOf = ({
  url,
  urls
}: {
  readonly url?: string | undefined
  readonly urls?: ReadonlyArray<string> | undefined
}): ReadonlyArray<string> => {
  const given = [...(url === undefined ? [] : [url]), ...(urls ?? [])]
  if (given.length === 0) throw new InvalidOption("url", "is missing: give url or urls")
  return [...new Set(given.map(addressOf))]
}

/** The address of the WebSocket interface. */
export const webSocketAddress = (base: string): string => `${base.replace(/^http/, "ws")}/ws/v1`
