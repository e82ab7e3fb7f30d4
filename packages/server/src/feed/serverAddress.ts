/** The address of the server that a command asks: as it was given, or as the environment says, and checked. */
import { Option } from "effect"
import { type Asked, asked } from "../input/asked.ts"
import { type Environment, feedUrl } from "./feedPlace.ts"

const rule = "the address of a server, such as http://127.0.0.1:8717"

/** Who opens a WebSocket may be told its scheme, too. */
const schemes = { http: /^https?:$/, webSocket: /^(?:https?|wss?):$/ } as const

const isSet = (value: string | undefined): boolean => value !== undefined && value !== ""

/** The address; a refusal names the option or the variables from which it is. */
export const serverAddress = (
  url: Option.Option<string>,
  environment: Environment,
  speaks: keyof typeof schemes = "http"
): Asked<string> => {
  const source = isSet(environment["SIBYL_URL"]) ? "SIBYL_URL" : "the address of SIBYL_PORT and SIBYL_PREFIX"
  return asked(
    Option.isSome(url) ? "--url" : source,
    rule,
    Option.getOrElse(url, () => feedUrl(environment)),
    Option.liftPredicate((text: string) => URL.canParse(text) && schemes[speaks].test(new URL(text).protocol))
  )
}
