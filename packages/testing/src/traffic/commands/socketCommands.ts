/** WebSocket commands of a sequence: one-shot executions, feeds, and frames that are no requests. */
import { ExecuteBody, FeedStartParams } from "@sibyl/core"
import fc from "fast-check"
import { whoever } from "./askCommands.ts"
import type { Abilities, Command, Request } from "./command.ts"
import { type Parameters, parametersFor } from "./executeParameters.ts"
import { acceptedValue, membersOf, nearlyAcceptedValue, type Wire } from "./wireValues.ts"

const waits = fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) })

const requesting = (method: string, params: fc.Arbitrary<Parameters>): fc.Arbitrary<Request> =>
  fc.tuple(params, fc.nat(3), waits).map(([given, socket, waits]) => ({
    kind: "request" as const,
    socket,
    method,
    params: JSON.stringify(given),
    waits
  }))

/** Simulated time allows for short ones. */
const periods = ({ clock }: Abilities): fc.Arbitrary<number> =>
  clock ? fc.oneof(fc.integer({ min: 10, max: 60 }), fc.constantFrom(25, 100, 400)) : fc.integer({ min: 60, max: 400 })

/** `share` is not sent: a shared feed begins at any `seq`, and its laws have audits of their own. */
const isLeftOut = (name: string): boolean => name === "share"

const startParams = (names: ReadonlyArray<string>, abilities: Abilities): fc.Arbitrary<Parameters> => {
  const members = membersOf(FeedStartParams.ast).filter(({ name }) => !isLeftOut(String(name)))
  const values: Readonly<Record<string, fc.Arbitrary<Wire>>> = {
    execute: parametersFor(ExecuteBody, names, true),
    periodicityMs: periods(abilities)
  }
  const valid = fc
    .tuple(...members.map(({ name, type }) => (values[String(name)] ?? acceptedValue(type)).map((value) => [String(name), value] as const)))
    .map((pairs): Parameters => Object.fromEntries(pairs))
  const nearly = fc
    .constantFrom(...members.filter(({ name }) => name !== "execute"))
    .chain(({ name, type }) =>
      fc.tuple(valid, nearlyAcceptedValue(type)).map(([params, value]): Parameters => ({ ...params, [String(name)]: value }))
    )
  return fc.oneof({ weight: 12, arbitrary: valid }, { weight: 1, arbitrary: nearly })
}

const feedIds: fc.Arbitrary<Parameters> = fc.oneof(
  { weight: 8, arbitrary: fc.nat(3).map((nth) => ({ feedId: `«feed ${nth}»` })) },
  { weight: 1, arbitrary: fc.constantFrom<Parameters>({ feedId: "no feed" }, { feedId: 7 }, {}) }
)

const frames = fc.constantFrom(
  "{",
  "gold",
  "[]",
  '{"jsonrpc":"2.0","method":"feed.stop","params":{"feedId":"a"}}',
  '{"jsonrpc":"2.0","id":7,"method":"feed.stop","params":{"feedId":"a"}}',
  '{"jsonrpc":"1.0","id":"old","method":"feed.stop","params":{"feedId":"a"}}'
)

/** Any WebSocket command. `names`: the programs that may be run. */
export const socketCommand = (names: ReadonlyArray<string>, abilities: Abilities): fc.Arbitrary<Command> =>
  fc.oneof(
    { weight: 3, arbitrary: whoever(abilities).map((who): Command => ({ kind: "connect", who })) },
    { weight: 5, arbitrary: requesting("feed.execute", parametersFor(ExecuteBody, names, true)) },
    { weight: 5, arbitrary: requesting("feed.start", startParams(names, abilities)) },
    { weight: 3, arbitrary: requesting("feed.stop", feedIds) },
    { weight: 1, arbitrary: requesting("feed.pause", feedIds) },
    { weight: 1, arbitrary: fc.tuple(fc.nat(3), frames).map(([socket, text]): Command => ({ kind: "frame", socket, text })) },
    {
      weight: 2,
      arbitrary: fc.tuple(fc.nat(3), fc.boolean()).map(([socket, politely]): Command => ({ kind: "disconnect", socket, politely }))
    }
  )

/** A feed that runs for a while, mostly of a program that takes its time. */
export const runningFeed = (names: ReadonlyArray<string>, abilities: Abilities): fc.Arbitrary<ReadonlyArray<Command>> => {
  const slow = fc.constantFrom("slow 25", "slow 400", "a")
  const start = fc
    .tuple(startParams(names, abilities), slow)
    .map(([params, execInputs]): Parameters => ({ ...params, execute: { execProgramId: "«program echo»", execInputs } }))
  const passing = (abilities.clock ? fc.constantFrom(100, 1_000) : fc.constantFrom(150, 500)).map((ms): Command => ({ kind: "pass", ms }))
  const stop = requesting("feed.stop", feedIds)
  return fc
    .tuple(requesting("feed.start", start), passing, fc.option(stop))
    .map(([started, passed, stopped]): ReadonlyArray<Command> => [started, passed, ...(stopped === null ? [] : [stopped])])
}
