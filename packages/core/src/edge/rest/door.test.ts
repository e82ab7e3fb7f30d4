/** The door: what it refuses under overload, what it lets through all the same, and one line of the log for many refusals. */
import { Clock, Context, Effect, Layer, Logger, TestClock, TestContext } from "effect"
import { expect, it } from "vitest"
import { Overloaded } from "../../contract/errors.ts"
import { Admission } from "../../services/admission/admission.ts"
import { Intake } from "../../services/admission/intake.ts"
import { AccessLog } from "../../services/logs/accessLog.ts"
import { seamRequest } from "../../testdata/testService.ts"
import { Authorization } from "../access/authorization.ts"
import { Door } from "./door.ts"
import { matchTarget, routesOf } from "./routes.ts"

const full = new Overloaded({ message: "full", retryAfterSeconds: 1 })
const atOwnBound = new Overloaded({ message: "own; try again", retryAfterSeconds: 1, details: { limit: "runsPerProject" } })

/** What the door asks is answered by the test. */
const layerDoor = (state: {
  isFull: boolean
  isInFlight: boolean
  isRemembered: boolean
  coming?: { readonly own: number; readonly all: number }
  /** The projects at a bound of their own. */
  atOwnBound?: ReadonlySet<string>
  projectId?: string
}) => {
  const part = <Id, Service>(tag: Context.Tag<Id, Service>, service: Partial<Service>) => Layer.succeed(tag, service as Service)
  return Door.layer.pipe(
    Layer.provide(part(Intake, { refusal: () => (state.isFull ? full : undefined), coming: () => state.coming ?? { own: 0, all: 0 } })),
    Layer.provide(
      part(Admission, {
        refusal: ({ projectId }, coming) => {
          if (state.atOwnBound?.has(projectId) === true) return atOwnBound
          return state.isInFlight || coming.own > 0 ? full : undefined
        }
      })
    ),
    Layer.provide(
      part(Authorization, {
        remembered: () =>
          state.isRemembered
            ? ({ project: { projectId: state.projectId ?? "p" } } as ReturnType<Authorization["Type"]["remembered"]>)
            : undefined
      })
    ),
    Layer.provide(Layer.succeed(AccessLog, AccessLog.toLoggers(true)))
  )
}

const routes = routesOf()

/** The status of the door's answer; 0 if it lets the request in. */
const askAt =
  (door: Door["Type"], clock: Clock.Clock) =>
  (method: string, url: string, headers: Record<string, string> = {}) => {
    const target = matchTarget(routes, url)
    if (target === undefined) throw new Error(`no route: ${url}`)
    return door.refusal(target, seamRequest(method, url, { headers }), clock)?.status ?? 0
  }

it("refuses what only asks for a run, and whose owner is remembered", () => {
  const state = { isFull: true, isInFlight: false, isRemembered: true }
  const checked = Effect.gen(function* () {
    const ask = askAt(yield* Door, yield* Effect.clock)
    const url = "/execute?execProgramId=x"
    expect([ask("GET", url), ask("POST", url), ask("POST", "/execute")]).toEqual([503, 503, 503])
    expect([
      ask("POST", url, { "idempotency-key": "k" }),
      ask("GET", `${url}&returnLastResult=true`),
      ask("GET", `${url}&dryRun=true`)
    ]).toEqual([0, 0, 0])
    expect([ask("HEAD", url), ask("PUT", url), ask("GET", "/health"), ask("GET", "/project")]).toEqual([0, 0, 0, 0])
    state.isRemembered = false
    expect(ask("GET", url)).toBe(0)
    Object.assign(state, { isRemembered: true, isFull: false })
    expect(ask("GET", url)).toBe(0)
    state.isInFlight = true
    expect(ask("GET", url)).toBe(503)
    // Those that wait for their turn take the places before it.
    Object.assign(state, { isInFlight: false, coming: { own: 1, all: 1 } })
    expect(ask("GET", url)).toBe(503)
  })
  return Effect.runPromise(Effect.scoped(Effect.provide(checked, layerDoor(state))))
})

/** The lines that are logged while the door is asked so, one array a second. */
const linesOf = (state: Parameters<typeof layerDoor>[0], seconds: ReadonlyArray<(ask: ReturnType<typeof askAt>) => void>) => {
  const lines: Array<unknown> = []
  const logger = Logger.make(({ annotations, message }) => void lines.push({ message, ...Object.fromEntries(annotations) }))
  const asked = Effect.gen(function* () {
    const ask = askAt(yield* Door, yield* Effect.clock)
    for (const second of seconds) {
      second(ask)
      yield* TestClock.adjust("1 second")
    }
    yield* TestClock.adjust("1 minute")
    return lines
  })
  return Effect.provide(asked, layerDoor(state)).pipe(
    Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
    Effect.provide(TestContext.TestContext),
    Effect.scoped,
    Effect.runPromise
  )
}

const byService = { part: "requests", message: ["requests were refused: full"] }

it("tells of refusals in one line a second, with their count, while there are any", async () => {
  const times = (count: number) => (ask: ReturnType<typeof askAt>) => {
    for (let at = 0; at < count; at += 1) ask("GET", "/execute")
  }
  expect(await linesOf({ isFull: true, isInFlight: false, isRemembered: true }, [times(5), times(1)])).toEqual([
    { ...byService, refused: 5 },
    { ...byService, refused: 1 }
  ])
})

it("tells of them at its end, if there is one before the next line", async () => {
  const lines: Array<unknown> = []
  const logger = Logger.make(({ annotations, message }) => void lines.push({ message, ...Object.fromEntries(annotations) }))
  const asked = Effect.gen(function* () {
    askAt(yield* Door, yield* Effect.clock)("GET", "/execute")
  })
  await Effect.provide(asked, layerDoor({ isFull: true, isInFlight: false, isRemembered: true })).pipe(
    Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
    Effect.runPromise
  )
  expect(lines).toEqual([{ ...byService, refused: 1 }])
})

it("tells apart projects at a bound of their own, of which it names five", async () => {
  const names = ["a", "b", "c", "d", "e", "f"]
  const state = { isFull: false, isInFlight: true, isRemembered: true, atOwnBound: new Set(names), projectId: "free" }
  const each = (ask: ReturnType<typeof askAt>) => {
    for (const projectId of ["a", ...names, "free"]) {
      state.projectId = projectId
      ask("GET", "/execute")
    }
  }
  const one = (ask: ReturnType<typeof askAt>) => {
    state.projectId = "f"
    ask("GET", "/execute")
  }
  const byProjects = {
    part: "requests",
    message: ["requests were refused: own"]
  }
  expect(await linesOf(state, [each, one])).toEqual([
    { ...byProjects, refused: 7, project_ids: "a, b, c, d, e" },
    { ...byService, refused: 1 },
    { ...byProjects, refused: 1, project_ids: "f" }
  ])
})
