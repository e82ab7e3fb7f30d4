/** The command line of `sibyl-conform`: what it means, and what is refused by name. */
import { describe, expect, it } from "vitest"
import { readCommand } from "./options.ts"

const id = "ab".repeat(32)
const service = ["--base-url", "http://127.0.0.1:1/oracle/", "--api-key", "key"]

describe("readCommand", () => {
  it("reads where the service is and how to judge it", () => {
    const command = readCommand([
      "conform",
      ...service,
      "--ws-url=wss://other.example/ws/v1",
      "--program",
      `echo=${id.toUpperCase()}`,
      "--max-credits=30000",
      "--only=REST-EXEC",
      "--only=WS",
      "--level=must"
    ])
    expect(command).toMatchObject({
      kind: "conform",
      options: {
        baseUrl: "http://127.0.0.1:1/oracle",
        wsUrl: "https://other.example/ws/v1",
        apiKey: "key",
        programs: { echo: id },
        maxCredits: 30_000n,
        loadShare: 0.1,
        only: ["REST-EXEC", "WS"],
        levels: ["MUST"]
      }
    })
  })

  it("takes the key from the environment, and the command line before it", () => {
    const of = (args: ReadonlyArray<string>) => {
      const command = readCommand(args, "from the environment")
      return command.kind === "conform" ? command.options.apiKey : command
    }
    expect(of(["--base-url", "http://127.0.0.1:1"])).toBe("from the environment")
    expect(of(service)).toBe("key")
  })

  it("takes no empty key, and none with the end of its line", () => {
    const options = (key: string, environmentKey: string) => {
      const command = readCommand(["--base-url", "http://127.0.0.1:1", "--api-key", key], environmentKey)
      return command.kind === "conform" ? command.options.apiKey : command
    }
    expect(options("key\n", "other")).toBe("key")
    expect(options("", "other\r\n")).toBe("other")
    expect(options("", " ")).toMatchObject({ kind: "fault", message: expect.stringContaining("--api-key is missing") })
  })

  it("shows help, lists, explains, and writes programs without a service", () => {
    expect(readCommand([])).toEqual({ kind: "help" })
    // A job that has lost its options must not be green.
    expect(readCommand(["conform"])).toEqual({ kind: "fault", message: "--base-url is missing" })
    expect(readCommand(["conform", "--list", "--level", "SHOULD"])).toEqual({ kind: "list", only: [], levels: ["SHOULD"] })
    expect(readCommand(["--explain", "rest-exec-001"])).toEqual({ kind: "explain", id: "REST-EXEC-001", against: undefined })
    expect(readCommand(["--write-programs", "here"])).toEqual({ kind: "writePrograms", folder: "here" })
    expect(readCommand(["--explain", "rest-exec-001", ...service])).toMatchObject({ kind: "explain", against: { apiKey: "key" } })
  })

  it.each([
    ["--base-url", ["--api-key", "key"]],
    ["--base-url", ["--base-url", "ftp://x", "--api-key", "key"]],
    ["--ws-url", [...service, "--ws-url", "nowhere"]],
    ["--api-key", ["--base-url", "http://127.0.0.1:1"]],
    ["--program", [...service, "--program", id]],
    ["--program", [...service, "--program", `unknown=${id}`]],
    ["--max-credits must be a whole number of at least 25000", [...service, "--max-credits", "24999"]],
    ["--max-credits", [...service, "--max-credits", "many"]],
    ["--load-share", [...service, "--load-share", "1.5"]],
    ["--ping-interval-ms", [...service, "--ping-interval-ms", "9"]],
    ["--ping-interval-ms must be a whole number of at least 100 and at most 600000", [...service, "--ping-interval-ms", "600001"]],
    ["--base-url must have no user", ["--base-url", "http://me:secret@127.0.0.1:1", "--api-key", "key"]],
    ["--base-url must end with its path", ["--base-url", "http://127.0.0.1:1/?a=1", "--api-key", "key"]],
    ["--ws-url must end with its path", [...service, "--ws-url", "ws://127.0.0.1:1/#"]],
    ["--base-url is given twice", [...service, "--base-url", "http://127.0.0.1:2"]],
    ["--api-key (or SIBYL_CONFORM_API_KEY) has a character", ["--base-url", "http://127.0.0.1:1", "--api-key", "a\nb"]],
    ["--api-key (or SIBYL_CONFORM_API_KEY) has a character", ["--base-url", "http://127.0.0.1:1", "--api-key", "ключ"]],
    ["--only is empty", [...service, "--only", ""]],
    ["--level", [...service, "--level", "OUGHT"]],
    ["--unknown", [...service, "--unknown"]],
    ["audit", ["audit", ...service]]
  ])("refuses a wrong or missing %s, by its name: %j", (name, args) => {
    const command = readCommand(args)
    expect(command).toMatchObject({ kind: "fault", message: expect.stringContaining(name) })
  })
})
