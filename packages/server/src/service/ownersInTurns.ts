/** Tasks of many owners: an owner's by priority and arrival, and one of each owner in turn. */
import type { Scheduler } from "effect"

/**
 * Of the tasks of one owner, how many of a more urgent priority run before one of a less urgent one has its turn too. A run has fewer tasks,
 * so that runs which are let in one by one do not pile up behind each other.
 */
export const urgentInARow = 64

/** Tasks of one priority, in the order of their arrival. */
class TaskQueue {
  #arrived: Array<Scheduler.Task> = []
  #ready: Array<Scheduler.Task | undefined> = []
  #next = 0

  get isEmpty(): boolean {
    return this.#next === this.#ready.length && this.#arrived.length === 0
  }

  add(task: Scheduler.Task): void {
    this.#arrived.push(task)
  }

  take(): Scheduler.Task | undefined {
    if (this.#next === this.#ready.length) {
      this.#ready = this.#arrived
      this.#arrived = []
      this.#next = 0
    }
    const task = this.#ready[this.#next]
    if (task === undefined) return undefined
    // What has run would be kept, with its fiber, until all of these have.
    this.#ready[this.#next] = undefined
    this.#next += 1
    return task
  }
}

/** The tasks of one owner: those of the most urgent priority first, which is the lowest number, and now and then another one. */
class OwnTasks {
  /** Who has a turn after it. */
  next: OwnTasks | undefined
  isWaiting = false
  readonly #urgent = new TaskQueue()
  /** The other priorities, the most urgent first; almost always there is none. */
  readonly #others: Array<readonly [priority: number, queue: TaskQueue]> = []
  #inARow = 0

  add(task: Scheduler.Task, priority: number): void {
    if (priority <= 0) return this.#urgent.add(task)
    const known = this.#others.find(([other]) => other === priority)
    if (known !== undefined) return known[1].add(task)
    const queue = new TaskQueue()
    queue.add(task)
    this.#others.push([priority, queue])
    this.#others.sort(([left], [right]) => left - right)
  }

  take(): Scheduler.Task | undefined {
    if (this.#inARow < urgentInARow) {
      const task = this.#urgent.take()
      if (task !== undefined) {
        this.#inARow += 1
        return task
      }
    }
    this.#inARow = 0
    const [, waiting] = this.#others.find(([, queue]) => !queue.isEmpty) ?? []
    return waiting?.take() ?? this.#urgent.take()
  }
}

/** How many owners are known at least before those without tasks are forgotten. */
const mostIdle = 1_000

/** Owners with tasks wait in a line; who has had a turn waits at its end. */
export class OwnersInTurns {
  /** Also those without tasks, until there are many: of a map that changes with each task, V8 makes the table anew every few tasks, in the old space. */
  readonly #known = new Map<string, OwnTasks>()
  #forgetAt = mostIdle
  #first: OwnTasks | undefined
  #last: OwnTasks | undefined

  get isEmpty(): boolean {
    return this.#first === undefined
  }

  /** How many owners are remembered. */
  get known(): number {
    return this.#known.size
  }

  add(owner: string, task: Scheduler.Task, priority: number): void {
    const tasks = this.#known.get(owner) ?? this.#begin(owner)
    tasks.add(task, priority)
    if (!tasks.isWaiting) this.#wait(tasks)
  }

  /** The task whose turn it is; `undefined` if the owner whose turn it is has none left. */
  take(): Scheduler.Task | undefined {
    const tasks = this.#first
    if (tasks === undefined) return undefined
    this.#first = tasks.next
    if (this.#first === undefined) this.#last = undefined
    tasks.next = undefined
    tasks.isWaiting = false
    const task = tasks.take()
    if (task !== undefined) this.#wait(tasks)
    return task
  }

  #wait(tasks: OwnTasks): void {
    tasks.isWaiting = true
    if (this.#last === undefined) this.#first = tasks
    else this.#last.next = tasks
    this.#last = tasks
  }

  #begin(owner: string): OwnTasks {
    if (this.#known.size >= this.#forgetAt) {
      for (const [other, { isWaiting }] of this.#known) if (!isWaiting) this.#known.delete(other)
      this.#forgetAt = Math.max(mostIdle, 2 * this.#known.size)
    }
    const tasks = new OwnTasks()
    this.#known.set(owner, tasks)
    return tasks
  }
}
