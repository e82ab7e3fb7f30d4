/** Executions under a price that does not depend on what they do, so that a balance is a count of runs. */

/** The configuration that makes the price flat, and the price: one for the run, one for all gas, none for proxies. */
export const flatPrice = {
  configuration: {
    tariff: { base: 1, gasPerCredit: "1000000000000000000000000" },
    limits: { proxyBudgetCredits: 0 }
  },
  credits: 2n
} as const

/** An answer of `/execute`. */
export interface Execution {
  readonly status: number
  readonly text: string
  readonly json: Readonly<Record<string, unknown>>
}

/** The program, its inputs, and the key. */
export interface ExecutionInput {
  readonly key: string
  readonly programId: string
  readonly inputs?: string
  readonly idempotencyKey?: string
}

/** Executes once. */
export const execution = async (url: string, { idempotencyKey, inputs = "", key, programId }: ExecutionInput): Promise<Execution> => {
  const headers: Record<string, string> = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  if (idempotencyKey !== undefined) headers["idempotency-key"] = idempotencyKey
  const body = JSON.stringify({ execProgramId: programId, execInputs: inputs })
  const response = await fetch(`${url}/execute`, { method: "POST", headers, body })
  const text = await response.text()
  return { status: response.status, text, json: JSON.parse(text) }
}

/** Executes `count` times concurrently, alternating between the servers. */
export const executions = (urls: ReadonlyArray<string>, count: number, input: ExecutionInput): Promise<ReadonlyArray<Execution>> =>
  Promise.all(Array.from({ length: count }, (_, at) => execution(urls[at % urls.length] ?? "", input)))

/** How often each status came. */
export const tally = (answers: ReadonlyArray<Execution>): Readonly<Record<number, number>> => {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}
