/** Limits of waits and bodies, in milliseconds and bytes. */
export interface HttpLimits {
  dnsMs: number;
  /** The connection and its TLS handshake together. */
  connectMs: number;
  /** From the DNS lookup to the last byte of a response. */
  exchangeMs: number;
  /** Size of a response that is read into memory. */
  bodyBytes: number;
  /** Size of a downloaded file. */
  fileBytes: number;
  /** Timeout of one attempt of a download. */
  downloadMs: number;
  /** Attempts of one request, without those for which the service gave a time to wait. */
  attempts: number;
  /** The first pause between two attempts. It doubles up to `longestPauseMs`. */
  firstPauseMs: number;
  longestPauseMs: number;
  /** Sum of all pauses for one page. The sync-worker waits ten minutes for a page. */
  waitMs: number;
}

export const defaultLimits: HttpLimits = {
  dnsMs: 5_000,
  connectMs: 10_000,
  exchangeMs: 60_000,
  bodyBytes: 32 * 1024 * 1024,
  fileBytes: 2 * 1024 * 1024 * 1024,
  downloadMs: 8 * 60_000,
  attempts: 6,
  firstPauseMs: 500,
  longestPauseMs: 30_000,
  waitMs: 5 * 60_000,
};
