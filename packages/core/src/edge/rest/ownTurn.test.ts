/** Which requests wait for a turn of the scheduler: what may run a program does, what runs nothing is answered in the turn in which it came. */
import { Layer, Scheduler } from "effect"
import { expect, it } from "vitest"
import { openTestService, seamRequest } from "../../testdata/testService.ts"

it("a stored result or a quote waits for no turn behind runs, which wait for theirs", async () => {
  const testService = await openTestService()
  let turns = 0
  const counting: Scheduler.Scheduler = {
    scheduleTask: (task, priority, fiber) => {
      turns += 1
      Scheduler.defaultScheduler.scheduleTask(task, priority, fiber)
    },
    shouldYield: (fiber) => Scheduler.defaultScheduler.shouldYield(fiber)
  }
  const service = await testService.openAnother((stores) => Layer.merge(Layer.succeedContext(stores), Layer.setScheduler(counting)))
  const answered = async (query: string, path = "/execute") => {
    const before = turns
    const url = `${path}?execProgramId=${testService.execProgramId}${query}`
    const response = await service.fetch(seamRequest("GET", url, { headers: { authorization: `Bearer ${testService.key}` } }))
    return { status: response?.status, waited: turns > before }
  }
  expect(await answered("")).toEqual({ status: 200, waited: true })
  expect(await answered("&returnLastResult=true")).toEqual({ status: 200, waited: false })
  expect(await answered("&dryRun=true")).toEqual({ status: 200, waited: false })
  expect(await answered("", "/execute/last-result")).toEqual({ status: 200, waited: false })
  await service.dispose()
  await testService.service.dispose()
})
