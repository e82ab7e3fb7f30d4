/** Organizations, as `sibyl org` creates and shows them. */
import { Accounts, OrganizationNotFound, Provisioning } from "@sibyl/core"
import type { ListedProject, Organization } from "@sibyl/core"
import { Effect } from "effect"
import { momentText } from "../input/moment.ts"
import { askedSlug } from "../input/slug.ts"
import type { Answer } from "../output/answer.ts"
import type { Paint } from "../output/paint.ts"
import { type Column, fields, table } from "../output/table.ts"
import { namingOptions } from "./namingOptions.ts"
import { projectColumns, projectDocument } from "./projectAnswer.ts"

const documentOf = (organization: Organization) => ({
  organizationId: organization.organizationId,
  organizationSlug: organization.organizationSlug,
  name: organization.name,
  createdAt: momentText(organization.createdAtMs)
})

const lines = (organization: Organization, paint: Paint) =>
  fields(
    [
      ["slug", paint("bold", organization.organizationSlug)],
      ["name", organization.name ?? ""],
      ["id", organization.organizationId],
      ["created", momentText(organization.createdAtMs)]
    ],
    paint
  )

/** Makes an organization. */
export const createOrganization = (wanted: { readonly organizationSlug: string; readonly name: string | null }) =>
  Effect.map(
    Effect.gen(function* () {
      const organizationSlug = yield* askedSlug("<slug>", wanted.organizationSlug)
      return yield* namingOptions((yield* Provisioning).createOrganization({ ...wanted, organizationSlug }))
    }),
    (organization): Answer => ({
      document: documentOf(organization),
      lines: (paint) => lines(organization, paint)
    })
  )

const columns: ReadonlyArray<Column<Organization>> = [
  { head: "slug", cell: ({ organizationSlug }, paint) => paint("bold", organizationSlug) },
  { head: "name", cell: ({ name }) => name ?? "" },
  { head: "id", cell: ({ organizationId }) => organizationId },
  { head: "created", cell: ({ createdAtMs }) => momentText(createdAtMs) }
]

/** Lists the organizations. */
export const listOrganizations = Effect.map(
  Effect.flatMap(Accounts, ({ organizations }) => organizations),
  (organizations): Answer => ({
    document: { organizations: organizations.map(documentOf) },
    lines: (paint) => table(organizations, columns, "no organizations yet", paint)
  })
)

const answerOf = (organization: Organization, projects: ReadonlyArray<ListedProject>): Answer => ({
  document: { ...documentOf(organization), projects: projects.map(projectDocument) },
  lines: (paint) => [
    ...lines(organization, paint),
    "",
    ...table(projects, projectColumns, "no projects yet: sibyl project create makes one", paint)
  ]
})

/** Shows one organization with its projects. */
export const showOrganization = (organizationSlug: string) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const organization = (yield* accounts.organizations).find((one) => one.organizationSlug === organizationSlug)
    if (organization === undefined) return yield* new OrganizationNotFound({ organizationSlug })
    return answerOf(organization, yield* accounts.projects(organizationSlug))
  })
