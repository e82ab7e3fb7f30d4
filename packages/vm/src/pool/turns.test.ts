/** Turns of more projects than are remembered. */
import { expect, it } from "vitest"
import { Turns } from "./turns.ts"

const passOf = (projectId: string) => ({ projectId, first: true })

it("serves everybody once before anybody twice, also where more wait than are remembered", () => {
  const turns = new Turns(3)
  const projectIds = Array.from({ length: 10 }, (_, at) => `project ${at}`)
  const served: Array<string> = []
  for (const projectId of projectIds) turns.add(passOf(projectId))
  for (let round = 0; round < 30; round += 1) {
    const pass = turns.take()
    if (pass === undefined) break
    served.push(pass.projectId)
    turns.ended(pass)
    turns.add(passOf(pass.projectId))
  }
  expect(served).toEqual([...projectIds, ...projectIds, ...projectIds])
})

it("lets nobody go first again and again because it was forgotten meanwhile", () => {
  const turns = new Turns(3)
  const serve = (): string => {
    const pass = turns.take()
    if (pass === undefined) return "nobody"
    turns.ended(pass)
    return pass.projectId
  }
  turns.add(passOf("patient"))
  expect(serve()).toBe("patient")
  turns.add(passOf("patient"))
  const served: Array<string> = []
  // Five come in a ring, each without anything of its own waiting in between.
  for (let at = 0; at < 20 && served.at(-1) !== "patient"; at += 1) {
    turns.add(passOf(`visitor ${at % 5}`))
    served.push(serve())
  }
  expect(served.length).toBeLessThanOrEqual(6)
  expect(served.at(-1)).toBe("patient")
})
