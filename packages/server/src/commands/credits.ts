/** `sibyl credits`: what projects may spend, and what they spent. */
import { Args, Command, Options } from "@effect/cli"
import { onStores } from "./onStores.ts"
import { databaseOptions } from "./settingOptions.ts"

const project = Args.text({ name: "project" }).pipe(Args.withDescription("the project's id"))

const load = () => import("../admin/credits.ts")

const grant = Command.make(
  "grant",
  {
    project,
    credits: Args.text({ name: "credits" }).pipe(Args.withDescription("how many to add")),
    ...databaseOptions
  },
  ({ credits, project: id, ...options }) =>
    onStores(options, {
      load: () =>
        load().then(
          ({ grantCredits }) =>
            () =>
              grantCredits(id, credits)
        )
    })
).pipe(Command.withDescription("Grant credits to a project."))

const withdraw = Command.make(
  "withdraw",
  {
    project,
    credits: Args.text({ name: "credits" }).pipe(Args.withDescription("how many to take back")),
    ...databaseOptions
  },
  ({ credits, project: id, ...options }) =>
    onStores(options, {
      load: () =>
        load().then(
          ({ withdrawCredits }) =>
            () =>
              withdrawCredits(id, credits)
        )
    })
).pipe(Command.withDescription("Take granted credits back that a project has neither used nor holds."))

const show = Command.make("show", { project, ...databaseOptions }, ({ project: id, ...options }) =>
  onStores(options, {
    load: () =>
      load().then(
        ({ showCredits }) =>
          () =>
            showCredits(id)
      )
  })
).pipe(Command.withDescription("Show what a project was granted, has used, holds, and what remains."))

const journal = Command.make(
  "journal",
  {
    project,
    amount: Options.integer("amount").pipe(Options.withDescription("how many entries (default: 25)"), Options.withDefault(25)),
    before: Options.integer("before").pipe(Options.withDescription("only entries before this one"), Options.optional),
    ...databaseOptions
  },
  ({ amount, before, project: id, ...options }) =>
    onStores(options, {
      load: () =>
        load().then(
          ({ showJournal }) =>
            () =>
              showJournal(id, amount, before)
        )
    })
).pipe(Command.withDescription("Show what happened to a project's credits, newest first."))

/** Its subcommands. */
export const creditsSubcommands = [grant, withdraw, show, journal] as const

/** The command. */
export const creditsCommand = Command.make("credits").pipe(
  Command.withDescription("Grant credits, take them back, and show how they are used."),
  Command.withSubcommands(creditsSubcommands)
)
