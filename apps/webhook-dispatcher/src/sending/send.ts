import type { AttemptOutcome } from '@idsync/contracts';

export interface OutgoingRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** Result of one POST. */
export interface SendResult {
  outcome: Exclude<AttemptOutcome, 'unknown'>;
  statusCode?: number;
  /** Failure text for an operator. */
  error?: string;
  /** The beginning of the response body. */
  responseBody?: string;
  responseHeaders?: Record<string, string>;
  /** Delay that the receiver requested. */
  retryAfterMs?: number;
  durationMs: number;
}

export abstract class Sender {
  /** Never rejects: every failure is a result. */
  abstract send(request: OutgoingRequest): Promise<SendResult>;
  abstract close(): Promise<void>;
}
