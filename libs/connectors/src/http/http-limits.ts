/** What bounds every wait and every body; milliseconds and bytes. */
export interface HttpLimits {
  dnsMs: number;
  /** The connection and its TLS handshake together. */
  connectMs: number;
  /** From the first look-up to the last byte of an answer. */
  exchangeMs: number;
  /** Of one answer that is read whole. */
  bodyBytes: number;
  /** Of a file that is downloaded. */
  fileBytes: number;
  /** For one try of a download. */
  downloadMs: number;
  /** Tries of one request that failed without the service asking for patience. */
  attempts: number;
  /** The first pause between two tries; it doubles, up to the longest. */
  firstPauseMs: number;
  longestPauseMs: number;
  /** Of all pauses for one page together; the sync-worker waits ten minutes for a page. */
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
