import type { AttemptOutcome } from '@idsync/contracts';

export interface OutgoingRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** How one POST went. */
export interface SendResult {
  outcome: Exclude<AttemptOutcome, 'unknown'>;
  statusCode?: number;
  /** Why it did not arrive, in words for an operator. */
  error?: string;
  /** The beginning of what the receiver said. */
  responseBody?: string;
  /** How long it asks to be left alone. */
  retryAfterMs?: number;
  durationMs: number;
}

export interface Sender {
  /** Never rejects: whatever happens is a result. */
  send(request: OutgoingRequest): Promise<SendResult>;
  close(): Promise<void>;
}
