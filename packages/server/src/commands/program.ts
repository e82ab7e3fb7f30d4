/** `sibyl program`: Oracle Programs. */
import { Args, Command, Options } from "@effect/cli"
import type { Configuration } from "../config/configuration.ts"
import { onStores } from "./onStores.ts"
import { databaseOptions, type DatabaseOptions } from "./settingOptions.ts"

/** The options of deploying. */
export const deployOptions = {
  file: Args.text({ name: "file" }).pipe(Args.withDescription("the WebAssembly module")),
  ...databaseOptions
}

/** Deploys with the given options. */
export const deployWith = ({ file, ...options }: { readonly file: string } & DatabaseOptions) =>
  onStores(options, {
    makes: true,
    load: () =>
      import("../programs/deployProgram.ts").then(
        ({ deployProgram }) =>
          (configuration: Configuration) =>
            deployProgram(file, configuration)
      )
  })

const deploy = Command.make("deploy", deployOptions, deployWith).pipe(Command.withDescription("Check a program and deploy it."))

const list = Command.make("list", databaseOptions, (options) =>
  onStores(options, {
    load: () =>
      import("../admin/storedPrograms.ts").then(
        ({ listPrograms }) =>
          () =>
            listPrograms
      )
  })
).pipe(Command.withDescription("List the deployed programs."))

const show = Command.make(
  "show",
  {
    program: Args.text({ name: "program" }).pipe(Args.withDescription("the program's id, or a name of it")),
    ...databaseOptions
  },
  ({ program, ...options }) =>
    onStores(options, {
      load: () =>
        import("../admin/storedPrograms.ts").then(
          ({ showProgram }) =>
            () =>
              showProgram(program)
        )
    })
).pipe(Command.withDescription("Show a deployed program."))

const nameArgument = Args.text({ name: "name" }).pipe(Args.withDescription("two or more labels joined by dots, such as v1.prices.acme"))
const forProject = Options.text("project").pipe(
  Options.withDescription("a name of this project alone, which comes before the service's (default: of every project)"),
  Options.optional
)
const loadNames = () => import("../admin/programNames.ts")

const nameIt = Command.make(
  "name",
  {
    name: nameArgument,
    program: Args.text({ name: "program" }).pipe(Args.withDescription("the program's id")),
    project: forProject,
    ...databaseOptions
  },
  ({ name, program, project, ...options }) =>
    onStores(options, {
      load: () =>
        loadNames().then(
          ({ nameProgram }) =>
            () =>
              nameProgram(name, program, project)
        )
    })
).pipe(Command.withDescription("Let a name mean a program, from the next request on; what it meant before is kept."))

const unname = Command.make("unname", { name: nameArgument, project: forProject, ...databaseOptions }, ({ name, project, ...options }) =>
  onStores(options, {
    load: () =>
      loadNames().then(
        ({ unnameProgram }) =>
          () =>
            unnameProgram(name, project)
      )
  })
).pipe(Command.withDescription("Take a name away."))

const names = Command.make(
  "names",
  {
    history: Options.boolean("history").pipe(
      Options.withDescription("everything that the names have meant, with the times, those that were taken away too")
    ),
    ...databaseOptions
  },
  ({ history, ...options }) =>
    onStores(options, {
      load: () =>
        loadNames().then(
          ({ listNames }) =>
            () =>
              listNames(history)
        )
    })
).pipe(Command.withDescription("List the names of programs."))

/** Its subcommands. */
export const programSubcommands = [deploy, list, show, nameIt, unname, names] as const

/** The command. */
export const programCommand = Command.make("program").pipe(
  Command.withDescription("Deploy, list, show and name Oracle Programs."),
  Command.withSubcommands(programSubcommands)
)
