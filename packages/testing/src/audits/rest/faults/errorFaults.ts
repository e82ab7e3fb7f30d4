/** Faults in what a service refuses, each with the audit that must detect it (D13, D15). */
import { edited, rewritten, withHeader, withStatus, withStatusAt, withoutHeader, type RestFault } from "./restFault.ts"

/** The faults of refusals. */
export const errorFaults: ReadonlyArray<RestFault> = [
  { name: "last results without a key", foundBy: "REST-ERROR-002", answer: withStatusAt("/execute/last-result", 401, 404) },
  { name: "reports without a key", foundBy: "REST-ERROR-002", answer: withStatusAt("/data-request-reports", 401, 400) },
  { name: "no WWW-Authenticate", foundBy: "REST-ERROR-002", answer: withoutHeader("www-authenticate") },
  { name: "Bearer in one letter case only", foundBy: "REST-ERROR-003", answer: withStatus(200, 401) },
  { name: "402 without credits", foundBy: "REST-ERROR-004", answer: withStatus(403, 402) },
  {
    name: "unknown programs as another error",
    foundBy: "REST-ERROR-005",
    answer: rewritten((text) => text.replace("ProgramNotFound", "NotFound"))
  },
  { name: "404 for programs outside the allow-list", foundBy: "REST-ERROR-006", answer: withStatus(400, 404) },
  { name: "no Retry-After", foundBy: "REST-ERROR-007", answer: withoutHeader("retry-after") },
  { name: "no Allow", foundBy: "REST-ERROR-008", answer: withoutHeader("allow") },
  { name: "no message beside error", foundBy: "REST-ERROR-008", answer: edited((json) => delete json["message"]) },
  { name: "HEAD not answered", foundBy: "REST-ERROR-009", answer: withStatus(200, 405) },
  { name: "HEAD of 0 bytes", foundBy: "REST-ERROR-009", answer: withHeader("content-length", "0") },
  { name: "Allow without HEAD", foundBy: "REST-ERROR-009", answer: withHeader("allow", "GET") },
  { name: "OPTIONS of /execute answered", foundBy: "REST-ERROR-020", answer: withStatusAt("/execute", 405, 200) },
  { name: "HEAD offered where it would run", foundBy: "REST-ERROR-020", answer: withHeader("allow", "GET, HEAD, POST") },
  { name: "400 for large bodies", foundBy: "REST-ERROR-010", answer: withStatus(413, 400) },
  { name: "400 for long targets", foundBy: "REST-ERROR-011", answer: withStatus(414, 400) },
  { name: "400 for other media types", foundBy: "REST-ERROR-012", answer: withStatus(415, 400) },
  { name: "500 for malformed bodies", foundBy: "REST-ERROR-013", answer: withStatus(400, 500) },
  { name: "byte order marks refused", foundBy: "REST-ERROR-018", answer: withStatus(200, 400) },
  { name: "400 for compressed bodies", foundBy: "REST-ERROR-019", answer: withStatus(415, 400) },
  { name: "500 for malformed queries", foundBy: "REST-ERROR-014", answer: withStatus(400, 500) },
  { name: "405 on some paths only", foundBy: "REST-ERROR-008", answer: withStatusAt("/execute/last-result", 405, 404) },
  { name: "400 for foreign paths", foundBy: "REST-ERROR-016", answer: withStatusAt("/nothing", 404, 400) },
  { name: "404 before 401", foundBy: "REST-ERROR-015", answer: withStatus(401, 404) },
  {
    name: "one request id for all",
    foundBy: "REST-ERROR-001",
    answer: withHeader("x-request-id", "00000000-0000-4000-8000-000000000000")
  },
  {
    name: "a stack in the answer",
    foundBy: "REST-ERROR-017",
    answer: edited((json) => (json["stack"] = "Error\n    at run (/srv/service.js:1:2)"))
  }
]
