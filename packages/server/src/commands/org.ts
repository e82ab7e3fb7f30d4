/** `sibyl org`: organizations. */
import { Args, Command, Options } from "@effect/cli"
import { Option } from "effect"
import { onStores } from "./onStores.ts"
import { databaseOptions } from "./settingOptions.ts"

const slug = Args.text({ name: "slug" }).pipe(Args.withDescription("the organization's slug"))

const load = () => import("../admin/organizations.ts")

const create = Command.make(
  "create",
  {
    slug,
    name: Options.text("name").pipe(Options.withDescription("its name for people"), Options.optional),
    ...databaseOptions
  },
  ({ name, slug: organizationSlug, ...options }) =>
    onStores(options, {
      makes: true,
      load: () =>
        load().then(
          ({ createOrganization }) =>
            () =>
              createOrganization({ organizationSlug, name: Option.getOrNull(name) })
        )
    })
).pipe(Command.withDescription("Make an organization."))

const list = Command.make("list", databaseOptions, (options) =>
  onStores(options, {
    load: () =>
      load().then(
        ({ listOrganizations }) =>
          () =>
            listOrganizations
      )
  })
).pipe(Command.withDescription("List the organizations."))

const show = Command.make("show", { slug, ...databaseOptions }, ({ slug: organizationSlug, ...options }) =>
  onStores(options, {
    load: () =>
      load().then(
        ({ showOrganization }) =>
          () =>
            showOrganization(organizationSlug)
      )
  })
).pipe(Command.withDescription("Show an organization and its projects."))

/** Its subcommands. */
export const orgSubcommands = [create, list, show] as const

/** The command. */
export const orgCommand = Command.make("org").pipe(
  Command.withDescription("Create, list and show organizations."),
  Command.withSubcommands(orgSubcommands)
)
