export interface ShutdownTimeouts {
  /** Time to send responses; interrupted responses count as a failed shutdown. */
  responsesMs: number;
  /** Time for a request that is still arriving. */
  requestsMs: number;
}

/** Bounds on the time in which a request must arrive. */
export interface RequestTimeouts {
  headersMs: number;
  /** Including the body. */
  requestMs: number;
  /** Interval of the check of all connections. */
  checkMs: number;
}

/** Times of event streams. */
export interface StreamTimes {
  /** Interval of reads of new events, for all streams of a tenant together. */
  pollMs: number;
  /** Interval of comments, and of checks that the caller still has access. */
  checkMs: number;
  /** A stream ends, so that its next request checks everything again. */
  longestMs: number;
}

/** Options of the HTTP server that are not environment variables; set by the process or by tests. */
export abstract class HttpOptions {
  /** Aborted when the process begins to shut down; then responses close their connection. */
  readonly stopping?: AbortSignal;
  readonly shutdownTimeouts?: ShutdownTimeouts;
  readonly requestTimeouts?: RequestTimeouts;
  readonly streamTimes?: StreamTimes;
}
