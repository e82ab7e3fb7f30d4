/** What a page with several connections says of them. */
import { expect, it } from "vitest"
import { connectionOf, type ConnectionState } from "./connectionState.ts"

it.each<[ReadonlyArray<ConnectionState>, ConnectionState]>([
  [[], "closed"],
  [["closed", "closed"], "closed"],
  [["open", "closed"], "open"],
  [["closed", "open"], "open"],
  [["open", "lost", "closed"], "lost"]
])("%j: %s", (states, all) => expect(connectionOf(states)).toBe(all))
