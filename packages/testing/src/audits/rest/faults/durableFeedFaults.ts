/** Faults around durable feeds, each with the audit that must detect it. */
import { edited, type RestFault, withStatus, withStatusAt } from "./restFault.ts"

/** Changes what is shown of a feed. */
const shown = (change: Readonly<Record<string, unknown>>): NonNullable<RestFault["answer"]> =>
  edited((json) => {
    if ("nextTickAt" in json) Object.assign(json, change)
  })

/** The faults of durable feeds. */
export const durableFeedFaults: ReadonlyArray<RestFault> = [
  { name: "a feed added with 200", foundBy: "REST-FEED-001", answer: withStatus(201, 200) },
  {
    name: "a list of feeds without ids",
    foundBy: "REST-FEED-001",
    answer: edited((json, url) => {
      if (url.pathname.endsWith("/feeds") && Array.isArray(json["data"])) json["data"] = []
    })
  },
  { name: "a wrong feed as 422", foundBy: "REST-FEED-002", answer: withStatusAt("/feeds", 400, 422) },
  { name: "a feed that stands still", foundBy: "REST-FEED-003", answer: shown({ lastSeq: 0 }) },
  { name: "a feed without an owner", foundBy: "REST-FEED-003", answer: shown({ hasOwner: false }) },
  {
    name: "another project's feed as 403",
    foundBy: "REST-FEED-004",
    answer: (passing, url) => (url.pathname.includes("/feeds/") && passing.status === 404 ? { ...passing, status: 403 } : passing)
  },
  { name: "a feed that hides its failures", foundBy: "REST-FEED-005", answer: shown({ lastFailure: null }) }
]
