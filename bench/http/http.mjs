/** The benchmark of HTTP: B7, B8 and B9. Each server and its load run in their own processes. */
import { fork, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

const pathOf = (file) => fileURLToPath(new URL(file, import.meta.url))
const bun = fileURLToPath(new URL("../../node_modules/.bin/bun", import.meta.url))

const firstLine = (child) =>
  new Promise((resolve, reject) => {
    let text = ""
    child.stdout.on("data", (chunk) => {
      text += chunk
      if (text.includes("\n")) resolve(JSON.parse(text.slice(0, text.indexOf("\n"))))
    })
    child.once("exit", (code) => reject(new Error(`a server of the benchmark ended with ${code}`)))
  })

/** Starts a server of `server.mjs`; returns its address, the paths to request and how to stop it. */
const start = async (kind, runtime = process.execPath) => {
  const child = spawn(runtime, [pathOf("server.mjs"), kind], { stdio: ["pipe", "pipe", "inherit"] })
  const facts = await firstLine(child)
  return { ...facts, stop: () => child.kill("SIGKILL") }
}

/** Requests per second of one path, with 32 connections that each wait for their response. */
const load = (settings) =>
  new Promise((resolve, reject) => {
    const child = fork(pathOf("load.mjs"), [JSON.stringify(settings)])
    child.once("message", resolve)
    child.once("exit", (code) => code !== 0 && reject(new Error(`the load ended with ${code}`)))
  })

const median = (list) => list.toSorted((left, right) => left - right)[Math.floor(list.length / 2)]

const rounds = 5
const seconds = 2

/** Measures several servers in turns, so that other load on the machine affects all of them. */
const inTurns = async (servers) => {
  const rates = servers.map(() => [])
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, { authorization, path, port }] of servers.entries()) {
      rates[at].push(await load({ port, path, authorization, seconds: round === 0 ? 1 : seconds }))
    }
  }
  return rates.map((list) => median(list.slice(1)))
}

/** Measures everything; `tell` is called with the name of each measurement. */
export const measure = async (tell) => {
  tell(`${rounds} rounds of ${seconds} s for each of seven servers (about 90 s)`)
  const bare = await start("bare")
  const trivial = await start("bare-trivial")
  const node = await start("node")
  const run = await start("run")
  const bareExpress = await start("bare-express")
  const express = await start("express")
  const onBun = await start("bun", bun)
  const [bareRate, trivialRate, nodeRate, runRate, bareExpressRate, expressRate, bunRate] = await inTurns([
    bare,
    trivial,
    node,
    run,
    bareExpress,
    express,
    onBun
  ])
  for (const { stop } of [bare, trivial, node, run, bareExpress, express, onBun]) stop()
  tell("the same remembered result in this process (3 s)")
  const { inProcess } = await import("./inProcess.mjs")
  const calls = await inProcess()
  return [
    { id: "B7", what: "remembered result over HTTP / bare node:http", value: nodeRate / bareRate, unit: "", reach: 0.5, aim: 0.9 },
    { id: "B7 rate", what: "remembered results a second over HTTP", value: nodeRate, unit: "/s" },
    { id: "bare rate", what: "bare node:http, the same bytes", value: bareRate, unit: "/s" },
    {
      id: "B8",
      what: "trivial execution, signed, charged, stored / bare node:http",
      value: runRate / trivialRate,
      unit: "",
      reach: 0.15,
      aim: 0.3
    },
    { id: "B8 rate", what: "trivial executions a second", value: runRate, unit: "/s" },
    { id: "B9", what: "Express, remembered result / in process", value: expressRate / calls, unit: "", reach: 0.5, aim: 0.8 },
    { id: "B9 bun", what: "Bun, remembered result / in process", value: bunRate / calls, unit: "", reach: 0.5, aim: 0.8 },
    {
      id: "B9 Express",
      what: "Express, remembered result / Express alone with the same bytes",
      value: expressRate / bareExpressRate,
      unit: ""
    },
    { id: "B9 rate", what: "Express, remembered results a second", value: expressRate, unit: "/s" },
    { id: "B9 bun rate", what: "Bun, remembered results a second", value: bunRate, unit: "/s" },
    { id: "Express rate", what: "Express alone, the same bytes", value: bareExpressRate, unit: "/s" },
    { id: "in process", what: "remembered results a second in process", value: calls, unit: "/s" }
  ]
}
