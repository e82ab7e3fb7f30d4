/** The address of the server that a command asks: as it was given, or as the environment says, and checked. */
import { Option } from "effect"
import { type Asked, asked } from "../input/asked.ts"
import { type Environment, feedUrl } from "./feedPlace.ts"

const rule = "the address of a server, such as http://127.0.0.1:8717"

/** Who opens a WebSocket may be told its scheme, too. */
const schemes = { http: /^https?:$/, webSocket: /^(?:https?|wss?):$/ } as const

/** A user and a password are sent to no server, and the runtimes ask none whose address has them. A path is put behind it, so it has no query. */
const isAddress = (text: string, scheme: RegExp): boolean => {
  if (!URL.canParse(text)) return false
  const { hash, password, protocol, search, username } = new URL(text)
  return scheme.test(protocol) && [hash, password, search, username].every((part) => part === "")
}

const isSet = (value: string | undefined): boolean => value !== undefined && value !== ""

/** The address; a refusal names the option or the variables from which it is. */
export const serverAddress = (
  url: Option.Option<string>,
  environment: Environment,
  speaks: keyof typeof schemes = "http"
): Asked<string> => {
  const source = isSet(environment["SIBYL_URL"]) ? "SIBYL_URL" : "the address of SIBYL_PORT and SIBYL_PREFIX"
  const given = Option.getOrElse(url, () => feedUrl(environment))
  const isAsked = Option.liftPredicate((text: string) => isAddress(text, schemes[speaks]))
  return /[@?#]/.test(given)
    ? asked(Option.isSome(url) ? "--url" : source, `${rule}, without user, password and query`, given, isAsked, "hidden")
    : asked(Option.isSome(url) ? "--url" : source, rule, given, isAsked)
}
