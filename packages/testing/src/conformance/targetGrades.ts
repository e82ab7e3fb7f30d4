/** The grade of each of our targets: which audits are made against it, and which cannot be. Its test holds it to this. */

/** A way in which Sibyl is served, and the test that judges it. */
export interface TargetGrade {
  readonly title: string
  readonly audits: "REST" | "WebSocket"
  /** Path of the test in the repository. */
  readonly shownBy: string
  readonly runtimes: ReadonlyArray<"Node" | "Bun">
  /** The audits that cannot be made there. All others pass. */
  readonly skipped: ReadonlyArray<string>
}

const origins = ["REST-ORIGIN-001", "REST-ORIGIN-002", "REST-ORIGIN-003", "REST-ORIGIN-004"] as const

/** Waivers: none. */
export const targetGrades = {
  webHandler: {
    title: "a web handler over stores in memory",
    audits: "REST",
    shownBy: "packages/testing/src/audits/rest/restAudits.test.ts",
    runtimes: ["Node"],
    // Unknown paths belong to a server, and there is none.
    skipped: ["REST-ERROR-016"]
  },
  expressRest: {
    title: "Express",
    audits: "REST",
    shownBy: "packages/adapter-express/src/restAudits.test.ts",
    runtimes: ["Node", "Bun"],
    skipped: []
  },
  expressWebSocket: {
    title: "Express",
    audits: "WebSocket",
    shownBy: "packages/adapter-express/src/wsAudits.test.ts",
    runtimes: ["Node", "Bun"],
    skipped: []
  },
  bunRest: {
    title: "`Bun.serve`",
    audits: "REST",
    shownBy: "packages/adapter-bun/src/restAudits.test.ts",
    runtimes: ["Bun"],
    skipped: []
  },
  bunWebSocket: {
    title: "`Bun.serve`",
    audits: "WebSocket",
    shownBy: "packages/adapter-bun/src/wsAudits.test.ts",
    runtimes: ["Bun"],
    skipped: []
  },
  executors: {
    title: "remote executors on NATS",
    audits: "REST",
    shownBy: "packages/cluster/src/remoteAudits.test.ts",
    runtimes: ["Node", "Bun"],
    // Unknown paths belong to a server, and there is none; and no origin is allowed.
    skipped: ["REST-ERROR-016", ...origins]
  }
} as const satisfies Readonly<Record<string, TargetGrade>>
