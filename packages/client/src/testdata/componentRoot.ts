/** For tests: a root in which React renders components that show nothing, with as much of a page as React asks for. */
import { act, createElement, type FunctionComponent } from "react"
import type { createRoot } from "react-dom/client"

/** What the component is rendered in. */
export interface ComponentRoot<Props extends object> {
  /** Renders with these properties, and waits for effects. */
  readonly render: (props: Props) => Promise<void>
  /** Lets something happen, and waits for what React makes of it. */
  readonly during: (what: () => Promise<void>) => Promise<void>
  readonly unmount: () => Promise<void>
}

const nothing = (): void => undefined

/** An element of a page in which nobody looks: it listens to nothing, and has no children. */
const elementOf = (ownerDocument: object) => ({
  nodeType: 1,
  nodeName: "DIV",
  tagName: "DIV",
  namespaceURI: "http://www.w3.org/1999/xhtml",
  ownerDocument,
  textContent: "",
  addEventListener: nothing,
  removeEventListener: nothing
})

const page = {
  nodeType: 9,
  nodeName: "#document",
  activeElement: null,
  defaultView: null,
  addEventListener: nothing,
  removeEventListener: nothing
}

/** A root for a component. The globals that React looks for are there until it is unmounted. */
export const componentRoot = async <Props extends object>(component: FunctionComponent<Props>): Promise<ComponentRoot<Props>> => {
  const given = { window: { HTMLIFrameElement: class {} }, document: page, IS_REACT_ACT_ENVIRONMENT: true }
  const before = Object.keys(given).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const)
  Object.assign(globalThis, given)
  const client: { readonly createRoot: typeof createRoot } = await import("react-dom/client")
  const root = client.createRoot(elementOf(page) as unknown as Element)
  return {
    render: (props) => act(async () => root.render(createElement(component, props))),
    during: (what) => act(what),
    unmount: async () => {
      await act(async () => root.unmount())
      for (const [name, property] of before) {
        if (property === undefined) Reflect.deleteProperty(globalThis, name)
        else Object.defineProperty(globalThis, name, property)
      }
    }
  }
}
