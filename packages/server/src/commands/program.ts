/** `sibyl program`: Oracle Programs. */
import { Args, Command } from "@effect/cli"
import type { Configuration } from "../config/configuration.ts"
import { onStores } from "./onStores.ts"
import { databaseOptions, type DatabaseOptions } from "./settingOptions.ts"

/** What deploying is told. */
export const deployOptions = {
  file: Args.text({ name: "file" }).pipe(Args.withDescription("the WebAssembly module")),
  ...databaseOptions
}

/** Deploys by the options that were given. */
export const deployWith = ({ file, ...options }: { readonly file: string } & DatabaseOptions) =>
  onStores(options, {
    makes: true,
    load: () =>
      import("../programs/deployProgram.ts").then(({ deployProgram }) => (configuration: Configuration) =>
        deployProgram(file, configuration.service.limits ?? {})
      )
  })

const deploy = Command.make("deploy", deployOptions, deployWith).pipe(
  Command.withDescription("Check a program and deploy it.")
)

const list = Command.make("list", databaseOptions, (options) =>
  onStores(options, {
    load: () => import("../programs/storedPrograms.ts").then(({ listPrograms }) => () => listPrograms)
  })).pipe(Command.withDescription("List the deployed programs."))

const show = Command.make("show", {
  program: Args.text({ name: "program" }).pipe(Args.withDescription("the program's id")),
  ...databaseOptions
}, ({ program, ...options }) =>
  onStores(options, {
    load: () => import("../programs/storedPrograms.ts").then(({ showProgram }) => () => showProgram(program))
  })).pipe(Command.withDescription("Show a deployed program."))

/** Its subcommands. */
export const programSubcommands = [deploy, list, show] as const

/** The command. */
export const programCommand = Command.make("program").pipe(
  Command.withDescription("Deploy, list and show Oracle Programs."),
  Command.withSubcommands(programSubcommands)
)
