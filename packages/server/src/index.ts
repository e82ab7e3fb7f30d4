/** The stand-alone server's building blocks, for those who embed Sibyl with one call. */
export { type EnsuredProject, type EnsureProjectOptions, KeyFileInvalid } from "./ensureProject.ts"
export * from "./openSibyl.ts"
export { type Deployment, layerPorts } from "./ports.ts"
