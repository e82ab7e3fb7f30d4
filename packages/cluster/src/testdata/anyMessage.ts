/** Any message of the contract, for properties. */
import { defaultLimits } from "@sibyl/core"
import fc from "fast-check"
import type { Alive, Beat, Reply } from "../contract/replies.ts"
import type { Order, Probe } from "../contract/orders.ts"

const text = fc.string({ unit: "grapheme", maxLength: 20 })
const bytes = fc.uint8Array({ maxLength: 60 })
const whole = fc.integer({ min: 0, max: 2 ** 53 - 1 })
const big = fc.bigInt({ min: 0n, max: 2n ** 128n })
const token = fc.stringMatching(/^[\w-]{1,12}$/)
const attempt = fc.tuple(token, fc.stringMatching(/^[0-9a-z]{1,6}$/)).map(([edge, n]) => `${edge}.${n}`)
const hexId = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((id) => Buffer.from(id).toString("hex"))
const textMap = fc.array(fc.tuple(text, text), { maxLength: 3 }).map((pairs) => new Map(pairs))

const fetchAnswer = fc.record({
  fulfilled: fc.boolean(),
  status: whole,
  headers: fc.array(fc.tuple(text, text), { maxLength: 3 }),
  bytes,
  url: text,
  contentLength: whole
})
const called = { action: bytes, atMs: whole }
const entry = fc.oneof(
  fc.record({ ...called, kind: fc.constantFrom("fetch" as const, "proxyFetch" as const), answer: fetchAnswer }),
  fc.record({
    ...called,
    kind: fc.constant("proxyPrice" as const),
    answer: fc.oneof(
      fc.record({ known: fc.constant(true as const), gas: big, publicKey: text, feeCredits: big }),
      fc.record({ known: fc.constant(false as const), message: text })
    )
  }),
  fc.record({
    ...called,
    kind: fc.constant("storage" as const),
    operation: fc.constantFrom("read" as const, "write" as const, "delete" as const),
    answer: fc.record({ fulfilled: fc.boolean(), bytes })
  }),
  fc.record({ kind: fc.constant("deadline" as const), limitMs: whole, gasCharged: big, workerMs: whole }),
  fc.record({ kind: fc.constant("stackOverflow" as const) })
)
const spent = fc.record({
  wallClockLeftMs: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  httpLeftMs: whole,
  workerMs: whole,
  gasUsed: big,
  storedBefore: textMap
})
const limits = fc.record({ execWallClockMs: whole, proxyBudgetCredits: big }).map((changed) => ({ ...defaultLimits, ...changed }))

/** Any order. */
export const order: fc.Arbitrary<Order> = fc.oneof(
  fc.record(
    {
      kind: fc.constant("task" as const),
      attempt,
      request: fc.record(
        {
          phase: fc.constantFrom("exec" as const, "tally" as const),
          projectId: text,
          programId: hexId,
          args: fc.array(text, { maxLength: 3 }),
          envs: fc.array(fc.tuple(text, text), { maxLength: 3 }),
          gasLimit: big,
          limits,
          hasStorage: fc.boolean(),
          hasProxies: fc.boolean(),
          isRecorded: fc.boolean(),
          allowedHosts: fc.array(fc.string(), { maxLength: 3 })
        },
        { requiredKeys: ["phase", "projectId", "programId", "args", "envs", "gasLimit", "limits", "hasStorage", "hasProxies"] }
      ),
      tape: fc.record({ startTimeMs: whole, seed: bytes, entries: fc.array(entry, { maxLength: 4 }) }),
      spent,
      tally: fc.record({ programId: hexId, base: text, blockHeight: big, gasLimit: big }),
      joins: fc.boolean(),
      trace: fc.oneof(fc.record({ parent: text }), fc.record({ parent: text, state: text }))
    },
    { requiredKeys: ["kind", "attempt", "request", "tape"] }
  ),
  fc.record({
    kind: fc.constant("answer" as const),
    attempt,
    n: whole,
    answer: fc.oneof(
      fc.record({ kind: fc.constant("storage" as const), view: fc.record({ values: textMap, keyCount: whole }) }),
      fc.record({
        kind: fc.constant("proxy" as const),
        proxy: fc.option(fc.record({ publicKey: text, name: text, feeCredits: big, active: fc.boolean(), registeredAtMs: whole }))
      }),
      fc.record({ kind: fc.constant("proof" as const), proof: text }),
      fc.record({ kind: fc.constant("program" as const), bytes }),
      fc.record({ kind: fc.constant("failed" as const), message: text })
    )
  }),
  fc.record({ kind: fc.constant("heard" as const), attempts: fc.array(attempt, { maxLength: 3 }) }),
  fc.record({ kind: fc.constantFrom("cancel" as const, "abandoned" as const), attempt })
)

const phase = fc.record(
  {
    exitCode: fc.integer(),
    exitMessage: text,
    gasUsed: big,
    gasCharged: big,
    workerMs: whole,
    result: bytes,
    stdout: text,
    stderr: text,
    proxies: fc.array(fc.record({ publicKey: text, feeCredits: big, calls: whole }), { maxLength: 2 }),
    reason: text,
    storage: fc.array(fc.record({ key: text, value: fc.option(text) }), { maxLength: 2 }),
    prefetch: fc.record({ requested: whole, used: whole }),
    hostCalls: fc.array(
      fc.record(
        {
          kind: fc.constantFrom("fetch" as const, "proxyPrice" as const, "proxyFetch" as const, "storage" as const),
          request: text,
          status: whole,
          bytes: whole,
          answeredAfterMs: whole
        },
        { requiredKeys: ["kind", "request", "bytes", "answeredAfterMs"] }
      ),
      { maxLength: 2 }
    ),
    tape: fc.oneof(text, fc.record({ bytes: whole }))
  },
  { requiredKeys: ["exitCode", "exitMessage", "gasUsed", "gasCharged", "result", "stdout", "stderr", "proxies"] }
)
const tallied = fc.oneof(
  fc.record({ consensus: fc.boolean(), phase }),
  fc.record({ consensus: fc.boolean(), refusal: fc.record({ exitCode: whole, result: bytes }) })
)
const body = fc.oneof(
  fc.record({ kind: fc.constant("accepted" as const), engine: text }),
  fc.record({ kind: fc.constantFrom("full" as const, "overloaded" as const, "left" as const) }),
  fc.record({ kind: fc.constant("tape" as const), from: whole, entries: fc.array(entry, { maxLength: 3 }), spent }),
  fc.record({
    kind: fc.constant("ask" as const),
    ask: fc.oneof(
      fc.record({ kind: fc.constant("storage" as const), keys: fc.array(text, { maxLength: 3 }) }),
      fc.record({ kind: fc.constant("proxy" as const), publicKey: text }),
      fc.record({ kind: fc.constant("proof" as const) }),
      fc.record({ kind: fc.constant("program" as const), programId: hexId })
    )
  }),
  fc.record({ kind: fc.constant("done" as const), outcome: fc.record({ exec: phase, tally: tallied }, { requiredKeys: ["exec"] }) }),
  fc.record({ kind: fc.constant("defect" as const), message: text })
)
/** Any reply. */
export const reply: fc.Arbitrary<Reply> = fc.record(
  { n: whole, executor: token, before: fc.array(body, { maxLength: 2 }), body },
  { requiredKeys: ["n", "executor", "body"] }
)
/** Any probe. */
export const probe: fc.Arbitrary<Probe> = fc.record({ edge: token, attempts: fc.array(fc.tuple(attempt, whole), { maxLength: 3 }) })
/** Any alive. */
export const alive: fc.Arbitrary<Alive> = fc.record({ unknown: fc.array(attempt, { maxLength: 3 }) })
/** Any beat. */
export const beat: fc.Arbitrary<Beat> = fc.record(
  {
    id: token,
    zone: text,
    free: whole,
    takesNone: fc.boolean(),
    engine: text,
    version: text,
    contracts: fc.array(whole, { maxLength: 2 })
  },
  { requiredKeys: ["id", "zone", "free", "engine", "version", "contracts"] }
)
