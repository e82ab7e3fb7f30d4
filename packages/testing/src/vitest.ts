/** The kit as tests of vitest: each audit of an adapter, and each law of a port, is a test. */
export { describeAdapter, type DescribeAdapterOptions, type ServedService, type ServeService } from "./describeAdapter.ts"
export { describeLaws } from "./describeLaws.ts"
