/** Sequences of traffic: any commands that a target can carry out, in any order. */
import fc from "fast-check"
import { askCommand, repeatedRequest, retriedRequest } from "./askCommands.ts"
import { type Abilities, type Command, commandText } from "./command.ts"
import { runningFeed, socketCommand } from "./socketCommands.ts"
import { ticketTraffic } from "./ticketCommands.ts"

/** The programs of the kit that traffic runs. */
export const playedPrograms = ["echo", "failing", "failingInTally", "trapping"] as const

/** The name of the program that asks the upstream. */
export const askingProgramName = "asking"

type Weighted = ReadonlyArray<fc.WeightedArbitrary<Command>>

const keyCommands = ({ issue, revoke, tenants }: Abilities): Weighted => {
  const tenant = fc.nat(tenants - 1)
  return [
    ...(revoke
      ? [{ weight: 2, arbitrary: fc.tuple(tenant, fc.nat(2)).map(([tenant, key]): Command => ({ kind: "revoke", tenant, key })) }]
      : []),
    ...(issue ? [{ weight: 2, arbitrary: tenant.map((tenant): Command => ({ kind: "issue", tenant })) }] : [])
  ]
}

const operatorCommands = (abilities: Abilities): Weighted => {
  const tenant = fc.nat(abilities.tenants - 1)
  return [
    ...keyCommands(abilities),
    ...(abilities.grant
      ? [
          {
            weight: 2,
            arbitrary: fc
              .tuple(tenant, fc.constantFrom(1, 400, 1_000))
              .map(([tenant, credits]): Command => ({ kind: "grant", tenant, credits }))
          }
        ]
      : [])
  ]
}

const crashes = ({ crash }: Pick<Abilities, "crash">): Weighted =>
  crash ? [{ weight: 2, arbitrary: fc.constant<Command>({ kind: "crash" }) }] : []

const worldCommands = ({ clock, crash, upstream }: Abilities): Weighted => [
  {
    weight: 8,
    arbitrary: (clock ? fc.constantFrom(1, 20, 100, 400, 3_000) : fc.constantFrom(5, 60, 250)).map((ms): Command => ({ kind: "pass", ms }))
  },
  ...(upstream ? [{ weight: 3, arbitrary: fc.boolean().map((works): Command => ({ kind: "upstream", works })) }] : []),
  ...crashes({ crash })
]

/** A sequence as numbered lines. */
export const sequenceText = (commands: ReadonlyArray<Command>): string =>
  commands.map((command, at) => `${at + 1}. ${commandText(command)}`).join("\n")

/** Shown by fast-check as numbered lines. */
const readable = (commands: Array<Command>): ReadonlyArray<Command> =>
  Object.defineProperty(commands, fc.toStringMethod, { value: () => `\n${sequenceText(commands)}\n` })

type Commands = fc.Arbitrary<ReadonlyArray<Command>>

/** Any commands that every service answers. */
const anyTraffic = (names: ReadonlyArray<string>, abilities: Abilities, maxCommands: number): Commands => {
  const one = (arbitrary: fc.Arbitrary<Command>): fc.Arbitrary<ReadonlyArray<Command>> => arbitrary.map((command) => [command])
  const commands = fc.oneof(
    { weight: 30, arbitrary: one(askCommand(names, abilities)) },
    { weight: 5, arbitrary: repeatedRequest(names, abilities) },
    { weight: 3, arbitrary: retriedRequest(abilities) },
    { weight: 20, arbitrary: one(socketCommand(names, abilities)) },
    { weight: 5, arbitrary: runningFeed(names, abilities) },
    ...[...operatorCommands(abilities), ...worldCommands(abilities)].map(({ arbitrary, weight }) => ({ weight, arbitrary: one(arbitrary) }))
  )
  return fc.array(commands, { minLength: 1, maxLength: maxCommands, size: "max" }).map((groups) => groups.flat())
}

/**
 * Any sequence of up to `maxCommands`. What a service need not have is in sequences of its own, mostly of such commands: among all others
 * they would seldom meet, and the others would meet less often.
 */
export const sequence = (abilities: Abilities, maxCommands: number): Commands => {
  const names = [...playedPrograms, ...(abilities.upstream ? [askingProgramName] : [])]
  const ends = [...keyCommands(abilities), ...crashes(abilities)]
  return fc
    .oneof(
      { weight: 6, arbitrary: anyTraffic(names, abilities, maxCommands) },
      ...(abilities.tickets === true ? [{ weight: 2, arbitrary: ticketTraffic(names, abilities, ends) }] : [])
    )
    .map((commands) => readable(commands.slice(0, maxCommands)))
}
