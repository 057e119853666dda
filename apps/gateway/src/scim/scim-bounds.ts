const KiB = 1024;
const MiB = 1024 * KiB;

/** Size of one stored resource. */
export const largestDocument = 256 * KiB;
/** Values in one resource. */
export const maxValues = 10_000;
/** Values that the operations of one PATCH may compare, with their parts, once for each condition of a path: about 0.1 s of CPU. */
export const maxComparisons = 50_000;

/** Resources in one page. */
export const largestPage = 200;
export const defaultPage = 100;
/** Size of a page, which ends after the resource that reaches it. */
export const pageBytes = 2 * MiB;
/** Members of groups, or groups of users, in one response, and the memory for them. */
export const maxMemberships = 20_000;
export const membershipBytes = 10 * MiB;

/** Resources that a filter without an index may scan, and their size. */
export const maxScanned = 20_000;
export const scannedBytes = 32 * MiB;

/** Slots of a read, which needs a connection, and of a push, which shares one with other pushes of its connector. */
export const slots = { read: 8, push: 1 } as const;
/** Limits per tenant and in total: fewer reads than the gateway has connections, and waits that identity providers accept. */
export const concurrencyLimits = {
  each: 2 * slots.read,
  all: 4 * slots.read,
  queued: 100,
  waitMs: 10_000,
  bytes: { each: 16 * MiB, all: 24 * MiB },
} as const;
/** Timeouts for receiving a body and for sending a response. */
export const bodyMs = 10_000;
export const responseMs = 20_000;
