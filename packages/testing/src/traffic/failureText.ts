/** A sequence that broke rules, as text: numbered commands, what was sent and received at each, and the rules. */
import { type TrafficViolation, trafficRules } from "./auditor/violation.ts"
import { type Command, commandText } from "./commands/command.ts"
import type { History } from "./history/history.ts"

const longest = 240

const cut = (text: string): string => (text.length > longest ? `${text.slice(0, longest)}… (${text.length} characters)` : text)

interface Line {
  readonly order: number
  readonly step: number | undefined
  readonly text: string
}

/** What clients sent and heard; a message of the service belongs to no command. */
const linesOf = ({ calls, sockets }: History): ReadonlyArray<Line> => [
  ...calls.flatMap(({ answer, method, path, sent, step }): ReadonlyArray<Line> => {
    if (step === undefined) return []
    const came = answer === undefined ? "no answer" : `${answer.status} ${cut(answer.text)}`
    return [{ order: answer?.order ?? sent.order, step, text: `< ${method} ${path}: ${came}` }]
  }),
  ...sockets.flatMap(({ ended, heard, refused, step }, at): ReadonlyArray<Line> => [
    ...heard.map(({ order, text }) => ({ order, step: undefined, text: `< socket ${at}: ${cut(text)}` })),
    ...(ended === undefined
      ? []
      : [{ order: ended.order, step: undefined, text: `< socket ${at}: closed with ${ended.code} by the ${ended.by}` }]),
    ...(refused === undefined ? [] : [{ order: refused.order, step, text: `< socket ${at}: refused with ${refused.status}` }])
  ])
]

/** The first thing of each command; a command that did nothing has none. */
const beginsOf = ({ calls, sockets }: History): ReadonlyMap<number, number> => {
  const begins = new Map<number, number>()
  const note = (step: number | undefined, order: number): void => {
    if (step !== undefined && (begins.get(step) ?? Number.POSITIVE_INFINITY) > order) begins.set(step, order)
  }
  for (const { sent, step } of calls) note(step, sent.order)
  for (const { asked, sent, step } of sockets) {
    note(step, asked.order)
    for (const frame of sent) note(frame.step, frame.order)
  }
  return begins
}

const violationText = ({ message, rule, step }: TrafficViolation): string =>
  `  ${rule}${step === undefined ? "" : ` (command ${step + 1})`}: ${message}\n    the rule: ${trafficRules[rule]}`

/** At most this many, because one fault may break many rules. */
const mostViolations = 12

/** How many lines of what came in one place are shown, at its begin and at its end: a feed may have told thousands of results. */
const shownAtEnd = 10

const fewOf = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length <= 2 * shownAtEnd
    ? lines
    : [...lines.slice(0, shownAtEnd), `… and ${lines.length - 2 * shownAtEnd} more`, ...lines.slice(-shownAtEnd)]

/** The text. */
export const failureText = ({
  commands,
  history,
  violations
}: {
  readonly commands: ReadonlyArray<Command>
  readonly history: History
  readonly violations: ReadonlyArray<TrafficViolation>
}): string => {
  const begins = beginsOf(history)
  const steps = commands.map((command, step): Line & { readonly isStep: true } => ({
    order: begins.get(step) ?? (begins.get(step - 1) ?? 0) + 0.5,
    step,
    text: `${step + 1}. ${commandText(command)}`,
    isStep: true
  }))
  // Commands stay in their order; what came is told before the first command that began later.
  const lines: Array<string> = []
  const came = linesOf(history).toSorted((one, other) => one.order - other.order)
  const tell = (told: ReadonlyArray<Line>): void => void lines.push(...fewOf(told.map(({ text }) => text)).map((text) => `     ${text}`))
  let at = 0
  for (const { order, text } of steps) {
    const next = came.findIndex((line, place) => place >= at && line.order >= order)
    const end = next === -1 ? came.length : next
    tell(came.slice(at, end))
    lines.push(text)
    at = end
  }
  tell(came.slice(at))
  const more = violations.length > mostViolations ? [`  and ${violations.length - mostViolations} more`] : []
  return ["The service broke rules:", ...violations.slice(0, mostViolations).map(violationText), ...more, "", ...lines].join("\n")
}
