/** `sibyl project`: projects and their settings. */
import { Args, Command, Options } from "@effect/cli"
import { onStores } from "./onStores.ts"
import { databaseOptions } from "./settingOptions.ts"

const id = Args.text({ name: "project" }).pipe(Args.withDescription("the project's id"))

const settings = {
  name: Options.text("name").pipe(Options.withDescription("its name for people"), Options.optional),
  execGas: Options.text("exec-gas").pipe(Options.withDescription("the gas limit of the execution phase"), Options.optional),
  tallyGas: Options.text("tally-gas").pipe(Options.withDescription("the gas limit of the tally phase"), Options.optional),
  usageLimit: Options.text("usage-limit").pipe(
    Options.withDescription("credits for a period, such as 1000/24h, or none"),
    Options.optional
  ),
  allow: Options.text("allow").pipe(
    Options.withDescription(
      "a program that it may run, by id or name (which stands for what it means now); may be repeated. any: every program; none: no program"
    ),
    Options.repeated
  ),
  allowHost: Options.text("allow-host").pipe(
    Options.withDescription(
      "a host that its programs may reach, such as api.example.com or *.example.com; may be repeated. any: all that the service allows; none: no host"
    ),
    Options.repeated
  ),
  limit: Options.text("limit").pipe(
    Options.withPseudoName("NAME=VALUE"),
    Options.withDescription("a limit of its own, such as execWallClockMs=5000, or =default; may be repeated"),
    Options.repeated
  )
}

const load = () => import("../admin/projects.ts")

const create = Command.make(
  "create",
  {
    org: Options.text("org").pipe(Options.withDescription("its organization's slug; a new one makes the organization")),
    ...settings,
    ...databaseOptions
  },
  ({ org, ...options }) =>
    onStores(options, {
      makes: true,
      load: () =>
        load().then(
          ({ createProject }) =>
            () =>
              createProject(org, options)
        )
    })
).pipe(Command.withDescription("Make a project."))

const update = Command.make("update", { project: id, ...settings, ...databaseOptions }, ({ project, ...options }) =>
  onStores(options, {
    load: () =>
      load().then(
        ({ updateProject }) =>
          () =>
            updateProject(project, options)
      )
  })
).pipe(Command.withDescription("Change a project. It is in force from the next request on."))

const list = Command.make(
  "list",
  {
    org: Options.text("org").pipe(Options.withDescription("only those of this organization"), Options.optional),
    ...databaseOptions
  },
  ({ org, ...options }) =>
    onStores(options, {
      load: () =>
        load().then(
          ({ listProjects }) =>
            () =>
              listProjects(org)
        )
    })
).pipe(Command.withDescription("List the projects."))

const show = Command.make("show", { project: id, ...databaseOptions }, ({ project, ...options }) =>
  onStores(options, {
    load: () =>
      load().then(
        ({ showProject }) =>
          () =>
            showProject(project)
      )
  })
).pipe(Command.withDescription("Show a project, its settings and its credits."))

/** Its subcommands. */
export const projectSubcommands = [create, update, list, show] as const

/** The command. */
export const projectCommand = Command.make("project").pipe(
  Command.withDescription("Create, change, list and show projects."),
  Command.withSubcommands(projectSubcommands)
)
