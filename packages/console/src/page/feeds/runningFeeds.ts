/** The feeds of this page: started, heard and stopped. */
import { type Client, type ConnectionEvent, createClient } from "@sibyl/client"
import { useRef, useState } from "preact/hooks"
import { faultOf, serviceUrl } from "../visitor/serviceClient.ts"
import type { AskedFeed } from "./feedForm.tsx"
import { connectionOf, type ConnectionState } from "./connectionState.ts"
import { ended, type FeedTrack, freshTrack, tracked } from "./feedTrack.ts"

/** A feed of this page. */
export interface RunningFeed {
  readonly id: number
  readonly asked: AskedFeed
  readonly track: FeedTrack
  readonly stop: () => void
}

const stopped = new Error("stopped")

/**
 * How often what feeds have brought is shown: a page that is drawn for each message has time for nothing else. Always the same: a rest
 * as long as drawings take would be hours after a frame that came late, as in a tab that was out of sight.
 */
const showMs = 200

const reasonOf = (caught: unknown): string => (caught === stopped ? "stopped" : faultOf(caught))

/** One client for each key that is entered, with a connection of its own. */
const useClients = (onConnection: (key: string, event: ConnectionEvent) => void): ((key: string) => Client) => {
  const clients = useRef(new Map<string, Client>())
  return (key) => {
    const client =
      clients.current.get(key) ?? createClient({ url: serviceUrl, auth: key, onConnection: (event) => onConnection(key, event) })
    clients.current.set(key, client)
    return client
  }
}

/** The feeds, how the connection is, and what starts another. */
export const useFeeds = () => {
  const [feeds, setFeeds] = useState<ReadonlyArray<RunningFeed>>([])
  const [connections, setConnections] = useState<ReadonlyMap<string, ConnectionState>>(new Map())
  const clientOf = useClients((key, { state }) => setConnections((known) => new Map(known).set(key, state)))
  const ids = useRef(0)
  const waiting = useRef<Array<(all: ReadonlyArray<RunningFeed>) => ReadonlyArray<RunningFeed>>>([])
  const show = (): void => {
    const changes = waiting.current.splice(0)
    setFeeds((all) => changes.reduce((before, change) => change(before), all))
  }
  const change = (id: number, to: (track: FeedTrack) => FeedTrack): void => {
    if (waiting.current.length === 0) setTimeout(show, showMs)
    waiting.current.push((all) => all.map((feed) => (feed.id === id ? { ...feed, track: to(feed.track) } : feed)))
  }
  const hear = async (id: number, { inputs, key, mode, periodMs, programId }: AskedFeed, signal: AbortSignal): Promise<void> => {
    const execute = {
      execProgramId: programId,
      execInputs: inputs as object as { [name: string]: unknown },
      includeSummary: true,
      encoding: "json"
    } as const
    try {
      const items = clientOf(key).feed({ execute, mode, periodicityMs: periodMs }, { signal, maxWaiting: 1_000 })
      for await (const item of items) change(id, (track) => tracked(track, item))
    } catch (caught) {
      change(id, (track) => ended(track, reasonOf(caught)))
    }
  }
  const start = (asked: AskedFeed): void => {
    ids.current += 1
    const control = new AbortController()
    const feed = { id: ids.current, asked, track: freshTrack, stop: () => control.abort(stopped) }
    setFeeds((all) => [...all, feed])
    void hear(feed.id, asked, control.signal)
  }
  const remove = (id: number): void => setFeeds((all) => all.filter((feed) => feed.id !== id))
  return { feeds, connection: connectionOf([...connections.values()]), start, remove }
}
