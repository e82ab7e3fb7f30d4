/** Tests that are not repeated on Bun are represented there: each room of core has a test, the lists name existing files, and grades their runtimes. */
import { dirname } from "node:path"
import { type TargetGrade, targetGrades } from "@sibyl/testing"
import { expect, it } from "vitest"
import { longest, onBunToo, onContainersNode, onNodeAlone, runsOnBun, runsOnDeno, runsOnNode, testFiles } from "./runtimes.ts"

const all = testFiles()

it("every room of core that has tests has one on Bun", () => {
  const ofCore = all.filter((path) => path.startsWith("packages/core/src/"))
  const rooms = new Set(ofCore.map(dirname))
  expect(rooms.size).toBeGreaterThan(15)
  const onBun = new Set(ofCore.filter(runsOnBun).map(dirname))
  expect([...rooms].filter((room) => !onBun.has(room))).toEqual([])
})

it("every package has tests on Bun", () => {
  const packageOf = (path: string): string => path.split("/").slice(0, 2).join("/")
  const packages = new Set(all.filter((path) => path.startsWith("packages/")).map(packageOf))
  expect(packages.size).toBeGreaterThan(7)
  const onBun = new Set(all.filter(runsOnBun).map(packageOf))
  expect([...packages].filter((name) => !onBun.has(name))).toEqual([])
})

it("the lists name existing files", () => {
  expect([...onBunToo, ...longest].filter((path) => !all.includes(path))).toEqual([])
  expect([...onNodeAlone, ...onContainersNode].filter((begin) => !all.some((path) => path.startsWith(begin)))).toEqual([])
})

it("every file runs somewhere, and on Deno one of core, one of the VM, and Deno's own server", () => {
  expect(all.filter((path) => !runsOnNode(path) && !runsOnBun(path) && !runsOnDeno(path))).toEqual([])
  const onDeno = all.filter(runsOnDeno)
  for (const begin of ["packages/core/", "packages/vm/", "examples/deno-adapter/"])
    expect(
      onDeno.some((path) => path.startsWith(begin)),
      begin
    ).toBe(true)
})

it("the grades of our targets name the runtimes on which their tests run", () => {
  const grades: ReadonlyArray<TargetGrade> = Object.values(targetGrades)
  for (const { runtimes, shownBy } of grades) {
    // From Node, these audit a process of Bun.
    const expected = shownBy.startsWith("packages/adapter-bun/") ? ["Bun"] : runsOnBun(shownBy) ? ["Node", "Bun"] : ["Node"]
    expect(runtimes, shownBy).toEqual(expected)
    expect(all).toContain(shownBy)
  }
})
