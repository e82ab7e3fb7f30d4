/** What is sent in one turn of the event loop goes in two batches at most, in order. */
import { expect, it } from "vitest"
import { Outbox } from "./outbox.ts"

const nextTurn = () => new Promise((resolve) => void setImmediate(resolve))

it("sends the first message at once, and those of the same turn together after it", async () => {
  const sent: Array<string> = []
  const outbox = new Outbox(({ subject }) => sent.push(subject))
  const send = (subject: string) => outbox.send({ subject, data: new Uint8Array(), reply: undefined })
  for (const subject of ["a", "b", "c"]) send(subject)
  expect(sent).toEqual(["a"])
  await Promise.resolve()
  send("d")
  expect(sent).toEqual(["a"])
  await nextTurn()
  expect(sent).toEqual(["a", "b", "c", "d"])
  send("e")
  expect(sent.at(-1)).toBe("e")
  send("f")
  outbox.flush()
  expect(sent.at(-1)).toBe("f")
  await nextTurn()
  expect(sent).toHaveLength(6)
})
