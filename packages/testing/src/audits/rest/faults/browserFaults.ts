/** Faults around tickets and pages of other origins, each with the audit that must detect it. */
import { bodyEdited, edited, type RestFault, withHeader, withoutHeader, withStatus, withStatusAt } from "./restFault.ts"

/** The faults of what lets browsers in. */
export const browserFaults: ReadonlyArray<RestFault> = [
  { name: "tickets with 200", foundBy: "REST-TICKET-001", answer: withStatusAt("/tickets", 201, 200) },
  { name: "tickets that caches keep", foundBy: "REST-TICKET-001", answer: withoutHeader("cache-control") },
  {
    name: "tickets without an end",
    foundBy: "REST-TICKET-001",
    answer: edited((json) => delete json["expiresAt"])
  },
  {
    name: "uses that are not counted",
    foundBy: "REST-TICKET-002",
    body: bodyEdited((wish) => (wish["maxUses"] = 1_000))
  },
  { name: "403 for a ticket that is used up", foundBy: "REST-TICKET-002", answer: withStatus(401, 403) },
  { name: "tickets for everything", foundBy: "REST-TICKET-003", body: bodyEdited((wish) => delete wish["allow"]) },
  { name: "tickets for every program", foundBy: "REST-TICKET-003", body: bodyEdited((wish) => delete wish["programs"]) },
  { name: "no budgets", foundBy: "REST-TICKET-004", body: bodyEdited((wish) => delete wish["maxCredits"]) },
  {
    name: "a budget that nobody can trace",
    foundBy: "REST-TICKET-004",
    answer: edited((json) => delete json["details"])
  },
  { name: "wrong wishes granted", foundBy: "REST-TICKET-005", answer: withStatusAt("/tickets", 400, 201) },
  {
    name: "tickets that outlive their time",
    foundBy: "REST-TICKET-006",
    body: bodyEdited((wish) => (wish["expiresInMs"] = 3_600_000))
  },
  { name: "tickets for every origin", foundBy: "REST-TICKET-007", body: bodyEdited((wish) => delete wish["origins"]) },
  {
    name: "refusals that pages cannot read",
    foundBy: "REST-ORIGIN-004",
    answer: (passing) => {
      if (passing.status >= 400) passing.headers.delete("access-control-allow-origin")
      return passing
    }
  },
  { name: "keys that pages may not send", foundBy: "REST-ORIGIN-001", answer: withoutHeader("access-control-allow-headers") },
  { name: "preflights as other methods", foundBy: "REST-ORIGIN-001", answer: withStatus(200, 405) },
  { name: "every origin allowed", foundBy: "REST-ORIGIN-002", answer: withHeader("access-control-allow-origin", "*") },
  { name: "nothing open", foundBy: "REST-ORIGIN-002", answer: withoutHeader("access-control-allow-origin") },
  { name: "answers that caches mix up", foundBy: "REST-ORIGIN-003", answer: withoutHeader("vary") },
  { name: "credentials of browsers", foundBy: "REST-ORIGIN-003", answer: withHeader("access-control-allow-credentials", "true") }
]
