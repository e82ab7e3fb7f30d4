/** The page: its views, and the way from one to another. A view that is left goes on, out of sight. */
import { useEffect, useState } from "preact/hooks"
import { ExecuteView } from "./execute/executeView.tsx"
import { FeedsView } from "./feeds/feedsView.tsx"
import { HistoryView } from "./history/historyView.tsx"
import { ProgramsView } from "./programs/programsView.tsx"
import { ProjectView } from "./project/projectView.tsx"
import { useVisitor, type Visitor } from "./visitor/visitor.ts"

const views = {
  execute: { label: "Execute", about: "Run a program, and check who signed its answer.", View: ExecuteView },
  feeds: { label: "Feeds", about: "Run programs again and again, and see when they start and what they find.", View: FeedsView },
  history: { label: "History", about: "Past runs of a data request, and what they found over time.", View: HistoryView },
  programs: { label: "Programs", about: "What a program is, what was found in it, and what its last runs took.", View: ProgramsView },
  project: { label: "Project", about: "What the project has, may spend and may run.", View: ProjectView }
} as const satisfies Record<string, { label: string; about: string; View: (parts: { readonly visitor: Visitor }) => preact.JSX.Element }>

type ViewName = keyof typeof views

const named = (hash: string): ViewName => (Object.hasOwn(views, hash.slice(1)) ? (hash.slice(1) as ViewName) : "execute")

/** The view that the address names. */
const useViewName = (): ViewName => {
  const [name, setName] = useState(named(location.hash))
  useEffect(() => {
    const read = (): void => setName(named(location.hash))
    addEventListener("hashchange", read)
    return () => removeEventListener("hashchange", read)
  }, [])
  return name
}

/** Navigation and views. */
export const App = () => {
  const visitor = useVisitor()
  const shown = useViewName()
  useEffect(() => {
    document.title = `${views[shown].label} - Sibyl console`
  }, [shown])
  return (
    <>
      <header>
        <h1>Sibyl console</h1>
        <nav aria-label="Views">
          {Object.entries(views).map(([name, { label }]) => (
            <a key={name} href={`#${name}`} aria-current={name === shown ? "page" : undefined}>
              {label}
            </a>
          ))}
        </nav>
        <p>{views[shown].about}</p>
      </header>
      <main>
        {Object.entries(views).map(([name, { View }]) => (
          <div key={name} hidden={name !== shown}>
            <View visitor={visitor} />
          </div>
        ))}
      </main>
    </>
  )
}
