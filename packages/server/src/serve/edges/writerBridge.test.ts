/** The way from an edge to the writer of its supervisor, when the writer dies and when the edge does. */
import type { Message, SharedWriter, WriterListener } from "@sibyl/sql"
import { expect, it } from "vitest"
import type { FromEdge, ToEdge } from "./edgeMessages.ts"
import { RemoteWriter } from "./remoteWriter.ts"
import { WriterBridge } from "./writerBridge.ts"

const order = (id: number): Message => ({ id, order: { kind: "begin", transaction: id } })

/** A writer that only notes what it is sent; and one edge, whose messages are delivered when the test says so. */
const ground = () => {
  const sent: Array<number> = []
  const listeners: Array<WriterListener> = []
  const closed: Array<string> = []
  const writer = {
    client: (listener: WriterListener) => {
      listeners.push(listener)
      return { post: (messages: ReadonlyArray<Message>) => sent.push(...messages.map(({ id }) => id)), close: () => closed.push("closed") }
    }
  } as unknown as SharedWriter
  const [up, down]: [Array<FromEdge>, Array<ToEdge>] = [[], []]
  const edge = { tell: (message: ToEdge) => down.push(message) }
  const bridge = new WriterBridge(writer)
  const remote = new RemoteWriter((message) => up.push(message))
  const deliverUp = (): void => {
    for (const message of up.splice(0)) if (message.kind === "write") bridge.write(edge, message.link, message.messages)
  }
  const deliverDown = (): void => {
    for (const message of down.splice(0)) if (message.kind === "written" || message.kind === "writerLost") remote.heard(message)
  }
  return { bridge, closed, deliverDown, deliverUp, edge, listeners, remote, sent }
}

const settings = { filename: "", patienceMs: 0 }

it("passes on orders and answers, and drops what was sent over a link that was lost", () => {
  const { deliverDown, deliverUp, listeners, remote, sent } = ground()
  const heard: Array<unknown> = []
  const listener: WriterListener = { answered: (answers) => heard.push(answers), lost: (why) => heard.push(why) }
  const first = remote.connect(settings, listener)
  first.post([order(1), order(2)])
  deliverUp()
  listeners[0]?.answered([[1, { value: [] }]])
  listeners[0]?.lost("exit code 7")
  // Under way when the writer died: nobody would end the transaction that it begins.
  first.post([order(3)])
  deliverUp()
  deliverDown()
  remote.connect(settings, listener).post([order(4)])
  deliverUp()
  expect(sent).toEqual([1, 2, 4])
  expect(heard).toEqual([[[1, { value: [] }]], "exit code 7"])
})

it("closes the client of an edge that has ended, once, and opens another one for the process that takes its place", () => {
  const { bridge, closed, deliverUp, edge, listeners, remote } = ground()
  remote.connect(settings, { answered: () => {}, lost: () => {} }).post([order(1)])
  deliverUp()
  bridge.gone(edge)
  bridge.gone(edge)
  expect(closed).toEqual(["closed"])
  bridge.write({ tell: () => 0 }, 1, [order(1)])
  expect(listeners).toHaveLength(2)
})
