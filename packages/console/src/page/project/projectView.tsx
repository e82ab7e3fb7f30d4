/** The project view: what the key's project has, may spend and may run. */
import type { ProjectKey, Project } from "@sibyl/client"
import { useState } from "preact/hooks"
import { FactTable } from "../visitor/factTable.tsx"
import { Fault } from "../visitor/fault.tsx"
import { grouped } from "../visitor/grouped.ts"
import { KeyField } from "../visitor/keyField.tsx"
import { RowTable } from "../visitor/rowTable.tsx"
import { Status } from "../visitor/status.tsx"
import { askingClient, faultOf } from "../visitor/serviceClient.ts"
import type { Visitor } from "../visitor/visitor.ts"

/** A moment to the minute. */
const minuteOf = (moment: string): string => moment.slice(0, 16).replace("T", " ")

interface Shown {
  readonly project: Project
  readonly keys: ReadonlyArray<ProjectKey>
}

const Keys = ({ keys }: Pick<Shown, "keys">) => (
  <section>
    <h2>Keys</h2>
    <RowTable label="Keys" heads={["name", "since (UTC)", "valid until"]}>
      {keys.map(({ createdAt, expiresAt, name }, at) => (
        <tr key={at}>
          <td>{name ?? "without a name"}</td>
          <td>{minuteOf(createdAt)}</td>
          <td>{expiresAt === null ? "no end" : minuteOf(expiresAt)}</td>
        </tr>
      ))}
    </RowTable>
  </section>
)

const Facts = ({ keys, project, visitor }: Shown & { readonly visitor: Visitor }) => {
  const { allowedPrograms, credits, gasLimits, organizationSlug, projectId, usageLimits } = project
  return (
    <>
      <FactTable title="Project" facts={{ organization: organizationSlug, project: projectId }} />
      <FactTable
        title="Credits"
        facts={{ remaining: grouped(credits.remaining), used: grouped(credits.used), "held by runs": grouped(credits.held) }}
      />
      <FactTable
        title="Usage limit"
        facts={
          usageLimits === null
            ? { limit: "none" }
            : {
                limit: `${grouped(usageLimits.limit)} credits in ${usageLimits.periodMs.toLocaleString("en-US")} ms`,
                used: grouped(usageLimits.used)
              }
        }
      />
      <FactTable title="Gas limits" facts={{ execution: grouped(gasLimits.exec), tally: grouped(gasLimits.tally) }} />
      <FactTable
        title="Allowed programs"
        facts={
          allowedPrograms === null
            ? { all: "every deployed program" }
            : Object.fromEntries(allowedPrograms.map((id, index) => [index + 1, id]))
        }
      />
      <FactTable title="Programs by name" facts={Object.fromEntries(visitor.programs.map(({ meaning, name }) => [name, meaning]))} />
      <Keys keys={keys} />
    </>
  )
}

const saying = ({ keys, project }: Shown): string =>
  `The project ${project.projectId}, ${keys.length.toLocaleString("en-US")} ${keys.length === 1 ? "key" : "keys"}.`

/** The key's field, and what it opens. */
export const ProjectView = ({ visitor }: { readonly visitor: Visitor }) => {
  const [shown, setShown] = useState<Shown>()
  const [fault, setFault] = useState("")
  const show = async (event: Event): Promise<void> => {
    event.preventDefault()
    setFault("")
    setShown(undefined)
    // Enter in the field of the key does not leave it.
    visitor.readNames()
    try {
      const client = askingClient(visitor.key)
      const [project, keys] = await Promise.all([client.project(), client.keys()])
      setShown({ project, keys })
    } catch (caught) {
      setFault(faultOf(caught))
    }
  }
  return (
    <div class="view">
      <form onSubmit={(event) => void show(event)}>
        <KeyField id="project-key" value={visitor.key} onInput={visitor.setKey} onDone={visitor.readNames} />
        <Fault text={fault} />
        <button>Show project</button>
      </form>
      <div>
        <Status text={shown === undefined ? "Credits and limits are shown here." : saying(shown)} />
        {shown === undefined ? null : <Facts {...shown} visitor={visitor} />}
      </div>
    </div>
  )
}
