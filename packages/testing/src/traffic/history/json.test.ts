/** JSON of a service that may send anything. */
import type { Opening, Service, Socket } from "@sibyl/core"
import { describe, expect, it } from "vitest"
import type { Command } from "../commands/command.ts"
import { playSequence } from "../conforms.ts"
import { openSimTarget } from "../sim/openSimTarget.ts"
import { parsed } from "./json.ts"

const pickSocket = (socket: Socket): Socket => ({
  sendTexts: (texts) => socket.sendTexts(texts),
  bufferedAmount: () => socket.bufferedAmount(),
  ping: () => socket.ping(),
  close: (code, reason) => socket.close(code, reason),
  terminate: () => socket.terminate()
})

const lists = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`

describe("a text is read", () => {
  it.each([
    ["at a depth of 500", lists(500)],
    ["with very many members side by side", `[${"{},".repeat(5_000)}[]]`],
    ["with brackets in its texts alone", JSON.stringify(["[".repeat(5_000), `\\"${"{".repeat(5_000)}`])]
  ])("%s", (_what, text) => {
    expect(JSON.stringify(parsed(text))).toBe(text)
  })

  it.each([501, 20_000, 2_000_000])("not at a depth of %i", (depth) => {
    expect(parsed(lists(depth))).toBeUndefined()
    expect(parsed(`{"a":"\\"",${'"b":{'.repeat(depth)}`)).toBeUndefined()
  })

  it.each(["", "[", `{"a":"`, "]".repeat(2_000)])("not where it is no JSON: %j", (text) => {
    expect(parsed(text)).toBeUndefined()
  })
})

describe("20,000 lists inside each other are a finding", () => {
  const deep = lists(20_000)
  const deepened = (text: unknown): string => String(text).replace('"data":', `"deep":${deep},"data":`)
  const execute = { execProgramId: "«program echo»" }

  it("in answers, which break their form", async () => {
    const service = (inner: Service): Service => ({
      ...inner,
      fetch: async (request) => {
        const answer = await inner.fetch(request)
        return answer === undefined ? undefined : { ...answer, body: deepened(answer.body) }
      }
    })
    const ask: Command = {
      kind: "ask",
      who: { tenant: 0, key: 0 },
      method: "POST",
      path: "/execute",
      query: [],
      headers: { "content-type": "application/json" },
      body: JSON.stringify(execute),
      waits: true
    }
    const { violations } = await playSequence(openSimTarget({ service }), [ask])
    expect(violations.filter(({ rule, step }) => rule === "shape" && step === 0)).toEqual([
      expect.objectContaining({ message: expect.stringMatching(/^200 \{"_tag":"ExecuteResponse","deep":\[{10}/) })
    ])
  })

  it("in messages, which are then none", async () => {
    const service = (inner: Service): Service => ({
      ...inner,
      upgrade: async (request) => {
        const opening = await inner.upgrade(request)
        if (typeof opening !== "function") return opening
        const open: Opening = (socket) =>
          opening({
            ...pickSocket(socket),
            sendTexts: (texts) => socket.sendTexts(texts.map(deepened))
          })
        return Object.assign(open, opening)
      }
    })
    const request: Command = { kind: "request", socket: 0, method: "feed.execute", params: JSON.stringify(execute), waits: true }
    const { violations } = await playSequence(openSimTarget({ service }), [request])
    expect(violations).toContainEqual(
      expect.objectContaining({ rule: "socket", message: expect.stringMatching(/^a message that is no JSON object: .*"deep":\[{10}/) })
    )
  })
})
