/** The errors that clients of the simulation may be told. */
import { errorsOfRunsWithout, type SentAs } from "../../wire/wireErrors.ts"

/** How each is sent, by tag. They use known methods, send only JSON, and open fewer connections than they may. */
export const toldErrors: Readonly<Record<string, SentAs>> = errorsOfRunsWithout(
  "MethodNotFound",
  "MethodNotAllowed",
  "ParseError",
  "TooManyConnections",
  "UnsupportedMediaType"
)
