/** Starts the console in its page. */
import { render } from "preact"
import { ExecuteView } from "./executeView.tsx"

render(<ExecuteView />, document.body)
