/** Runs that are asked for by the fiber of a test. */
import { HttpFetch } from "@sibyl/core"
import { Context, Effect, Option } from "effect"
import { ProxyAccess } from "../driver/proxyAccess.ts"
import { forCaller, type RunCaller } from "../driver/runCaller.ts"

/** Work of a run over the test's HTTP, without data proxies. */
export const calling = <A, E>(work: (caller: RunCaller) => Effect.Effect<A, E>): Effect.Effect<A, E, HttpFetch> =>
  Effect.flatMap(HttpFetch, (http) => forCaller(Context.make(HttpFetch, http).pipe(Context.add(ProxyAccess, Option.none())), work))

/** The same, with whatever data proxies the test provides. */
export const callingProxies = <A, E>(work: (caller: RunCaller) => Effect.Effect<A, E>): Effect.Effect<A, E, HttpFetch | ProxyAccess> =>
  Effect.flatMap(Effect.context<HttpFetch | ProxyAccess>(), (outside) => forCaller(outside, work))
