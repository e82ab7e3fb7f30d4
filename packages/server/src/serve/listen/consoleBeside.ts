/** The console beside a stand-alone server's service, unless it is switched off. */
import { withConsole } from "@sibyl/console"
import type { Service } from "@sibyl/core"
import { examplePrograms, programIdOf } from "@sibyl/programs"
import { Effect } from "effect"

/** Unbuilt programs have no id; then the console offers none. */
const examples = Effect.promise(() =>
  Promise.all(
    examplePrograms.map(async ({ inputs, name }) => ({ name, execProgramId: await programIdOf(name), execInputs: inputs }))
  ).catch(() => [])
)

/** The service with the console, which offers the example programs. */
export const consoleBeside = (service: Service, isServed: boolean): Effect.Effect<Service> =>
  isServed ? Effect.map(examples, (offered) => withConsole(service, { examples: offered })) : Effect.succeed(service)
