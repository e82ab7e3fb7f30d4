/** A violation: which rule a service broke, where, and how it shows. */

/** The rules of the auditor. */
export const trafficRules = {
  "one-answer": "every request is answered, once; only a crash may lose an answer",
  outcome: "an answer is one of those that the history allows",
  shape: "an answer has the status, the fields and the headers of its kind",
  identity: "drId, result id and signature follow from the fields that are shown, by the key of GET /info",
  request: "a run has the programs, the inputs and the gas limits that were asked for",
  result: "a program's result and exit code are what the program returns, in the encoding that was asked for",
  "one-run": "a run has one id, which always names the same run of one project",
  gas: "gas is the sum of the phases, and equal for equal requests",
  "last-result": "a stored result is the newest that fits, and is given wherever there is one",
  idempotency: "all requests under one idempotency key get one answer, whose run was charged once",
  credits:
    "granted = remaining + used + held, used is what the reports say, and a snapshot lies between what had and what may have happened",
  reports: "reports have each charged run once, newest first, and nothing else",
  tenants: "a project sees nothing of another one",
  keys: "a key works from its issue to its revocation, which closes its connections",
  tickets:
    "a ticket opens what it allows to its own pages, as often and as long as it says, within its budget, and nothing once its key has ended",
  socket: "a connection begins with authorized, and replies and close codes are those of the protocol",
  feed: "results of a feed are numbered without gap, none comes twice or after the stop, and its runs start when its mode says",
  facts: "what never changes stays the same: the public key, a data proxy"
} as const

/** The name of a rule. */
export type TrafficRule = keyof typeof trafficRules

/** One violation. */
export interface TrafficViolation {
  readonly rule: TrafficRule
  /** The place of the command in the sequence; absent for what every sequence begins and ends with. */
  readonly step: number | undefined
  readonly message: string
}

/** Makes a violation if something does not hold. */
export const unless = (
  holds: boolean,
  rule: TrafficRule,
  step: number | undefined,
  message: () => string
): ReadonlyArray<TrafficViolation> => (holds ? [] : [{ rule, step, message: message() }])
