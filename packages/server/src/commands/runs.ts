/** `sibyl runs`: a project's recent runs. */
import { Args, Command, Options } from "@effect/cli"
import { onStores } from "./onStores.ts"
import { databaseOptions } from "./settingOptions.ts"

/** The command. */
export const runsCommand = Command.make(
  "runs",
  {
    project: Args.text({ name: "project" }).pipe(Args.withDescription("the project's id")),
    amount: Options.integer("amount").pipe(Options.withDescription("how many, from 1 to 100 (default: 25)"), Options.withDefault(25)),
    before: Options.integer("before").pipe(
      Options.withDescription("only runs before this one, as the page before says it"),
      Options.optional
    ),
    ...databaseOptions
  },
  ({ amount, before, project, ...options }) =>
    onStores(options, {
      load: () =>
        import("../admin/runs.ts").then(
          ({ listRuns }) =>
            () =>
              listRuns(project, amount, before)
        )
    })
).pipe(Command.withDescription("List a project's recent runs, newest first: when, from where, exit code, credits."))
