/** Checks every invariant: after each step, and when everything has come to rest. */
import type { ExecutionReport } from "@sibyl/core"
import type { World } from "../world/world.ts"
import { checkAnswer, type FreeCredits, type Stored } from "./answerInvariants.ts"
import { checkCredits, checkNothingHeld } from "./creditInvariants.ts"
import { checkFeeds } from "./feedInvariants.ts"
import { checkAllCharged, checkFeedRunsEnd, checkMachine, checkNothingTwice, checkReports } from "./runInvariants.ts"
import { checkConnections, checkFrames, checkReplied } from "./socketInvariants.ts"

/** The invariants of one world; it remembers what it has looked at. */
export class Invariants {
  readonly #world: World
  readonly #reports = new Map<string, ExecutionReport>()
  readonly #free = new Map<string, Array<FreeCredits>>()
  /** The report of each run of the machine, by its number. */
  readonly #reported = new Map<number, string>()
  readonly #seenReports = new Map<string, number>()
  readonly #seenFrames = new Map<string, number>()
  readonly #openRequests = new Set<number>()
  #seenRequests = 0

  constructor(world: World) {
    this.#world = world
  }

  get #stored(): Stored {
    return { reports: this.#reports, free: this.#free }
  }

  get charges(): number {
    return this.#reports.size
  }

  /** Throws the first invariant that does not hold now. */
  async check(): Promise<void> {
    const world = this.#world
    world.findings.raise()
    for (const tenant of world.tenants) {
      const books = await world.database.books(tenant.projectId)
      checkCredits(books, tenant, world.findings, world.stepsAtMs.length > 0)
      const from = this.#seenReports.get(tenant.projectId) ?? 0
      for (const report of books.reports.slice(from)) this.#reports.set(report.id, report)
      checkReports(world, tenant, books, this.#reported, from)
      this.#seenReports.set(tenant.projectId, books.reports.length)
      const free = this.#free.get(tenant.projectId) ?? []
      this.#free.set(tenant.projectId, free)
      const { granted, held, used } = books
      free.push({ atMs: world.clock.nowMs(), credits: granted - used - held, granted, used })
    }
    this.#checkAnswers()
    for (const socket of world.sockets) {
      checkFrames(world, socket, this.#seenFrames.get(socket.name) ?? 0, this.#stored)
      this.#seenFrames.set(socket.name, socket.heard.length)
    }
    checkConnections(world)
    checkMachine(world)
    checkFeedRunsEnd(world)
    world.findings.raise()
  }

  #checkAnswers(): void {
    const { requests } = this.#world
    for (; this.#seenRequests < requests.length; this.#seenRequests += 1) this.#openRequests.add(this.#seenRequests)
    for (const number of this.#openRequests) {
      const request = requests[number]
      if (request === undefined || request.state === "open") continue
      this.#openRequests.delete(number)
      if (request.answer !== undefined) checkAnswer(this.#world, request, request.answer, this.#stored)
    }
  }

  /** Everything was answered or lost, while the servers are still up. */
  async checkAtRest(): Promise<void> {
    await this.check()
    checkReplied(this.#world)
    checkFeeds(this.#world)
    this.#world.findings.raise()
  }

  /** The servers have ended in order: without a crash or a fault of the stores, nothing is left to the leases. */
  async checkAfterDrain(): Promise<void> {
    const world = this.#world
    await this.check()
    if (world.faults.storeFaultsAtMs.length > 0 || world.servers.some(({ crashes }) => crashes > 0)) return
    for (const tenant of world.tenants) checkNothingHeld(await world.database.books(tenant.projectId), tenant, world.findings)
    world.findings.raise()
  }

  /** Everything is over: the servers have ended, and every lease with them. */
  async checkAtEnd(): Promise<void> {
    const world = this.#world
    await this.check()
    for (const tenant of world.tenants) checkNothingHeld(await world.database.books(tenant.projectId), tenant, world.findings)
    checkAllCharged(world, this.#reported)
    checkNothingTwice(world, this.#reports)
    world.findings.raise()
  }
}
