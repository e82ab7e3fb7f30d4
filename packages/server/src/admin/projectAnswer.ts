/** A project in the two forms of an answer. */
import { type Balance, type ListedProject } from "@sibyl/core"
import { remainingOf } from "@sibyl/core/internal"
import { amountText } from "../input/amount.ts"
import { momentText } from "../input/moment.ts"
import { usageLimitText } from "../input/usageLimit.ts"
import type { Answer } from "../output/answer.ts"
import { type Column, fields } from "../output/table.ts"

/** A project for scripts, with the member names of `GET /project`. */
export const projectDocument = (project: ListedProject) => ({
  projectId: project.projectId,
  name: project.name,
  organizationId: project.organizationId,
  organizationSlug: project.organizationSlug,
  createdAt: momentText(project.createdAtMs),
  gasLimits: project.gasLimits,
  usageLimit: project.usageLimit,
  allowedPrograms: project.allowedPrograms,
  allowedHosts: project.allowedHosts,
  limits: project.limits
})

/** Credits for scripts. */
export const creditsDocument = (balance: Balance) => ({
  granted: balance.granted,
  used: balance.used,
  held: balance.held,
  remaining: remainingOf(balance)
})

const allowedText = (list: ReadonlyArray<string> | null, all: string): string => {
  if (list === null) return all
  return list.length === 0 ? "none" : list.join(" ")
}

/** Projects as a table. */
export const projectColumns: ReadonlyArray<Column<ListedProject>> = [
  { head: "project", cell: ({ projectId }, paint) => paint("bold", projectId) },
  { head: "organization", cell: ({ organizationSlug }) => organizationSlug },
  { head: "name", cell: ({ name }) => name ?? "" },
  { head: "programs", cell: ({ allowedPrograms }) => (allowedPrograms === null ? "every" : `${allowedPrograms.length}`) },
  { head: "usage limit", cell: ({ usageLimit }) => usageLimitText(usageLimit) },
  { head: "created", cell: ({ createdAtMs }) => momentText(createdAtMs) }
]

const limitsText = (limits: ListedProject["limits"]): string => {
  const own = Object.entries(limits)
  return own.length === 0 ? "the service's" : own.map(([name, value]) => `${name}=${value}`).join(" ")
}

/** One project in full. */
export const projectAnswer = (project: ListedProject, balance: Balance): Answer => ({
  document: {
    ...projectDocument(project),
    credits: creditsDocument(balance),
    ...(project.usageLimit === null ? {} : { usedInPeriod: balance.periodUsed })
  },
  lines: (paint) =>
    fields(
      [
        ["project", paint("bold", project.projectId)],
        ["name", project.name ?? ""],
        ["organization", `${project.organizationSlug} (${project.organizationId})`],
        ["created", momentText(project.createdAtMs)],
        [
          "credits",
          `${amountText(remainingOf(balance))} remaining, ${amountText(balance.used)} used, ${amountText(
            balance.held
          )} held, ${amountText(balance.granted)} granted`
        ],
        [
          "usage limit",
          project.usageLimit === null ? "none" : `${usageLimitText(project.usageLimit)}, ${amountText(balance.periodUsed)} in this period`
        ],
        ["gas limits", `execution ${amountText(project.gasLimits.exec)}, tally ${amountText(project.gasLimits.tally)}`],
        ["programs", allowedText(project.allowedPrograms, "every program")],
        ["hosts", allowedText(project.allowedHosts, "every host that the service allows")],
        ["limits", limitsText(project.limits)]
      ],
      paint
    )
})
