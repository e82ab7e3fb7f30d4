/** Numbers that a page cannot hold: JavaScript has doubles, JSON has digits. */
import { survivesDouble } from "@sibyl/core/internal"

const tokens = /"(?:\\.|[^"\\])*"|-?[0-9][0-9.eE+-]*/g

/** The first number in a JSON text that would become another one; `undefined` if there is none. Fractions are rounded, as JSON's readers do. */
export const lostNumber = (json: string): string | undefined =>
  json.match(tokens)?.find((token) => !token.startsWith('"') && !survivesDouble(token))
