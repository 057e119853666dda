import type { SourceErrorCode } from '@idsync/contracts';
import { BlockedError, ConnectTimeoutError, UnresolvedError } from '@idsync/runtime';
import { SourceError, type SourceErrorDetails } from '../connector.js';

/** A failure of one exchange. Text of the service is only in `said`. The message does not name the request. */
class ExchangeFailure extends Error {
  readonly code: SourceErrorCode;
  readonly said: string | undefined;

  constructor(message: string, { code = 'bad_answer', said }: SourceErrorDetails = {}) {
    super(message);
    this.code = code;
    this.said = said;
  }
}

/** A retry may succeed: there was no response, or it was truncated. */
export class TransientFailure extends ExchangeFailure {}

/** The host name has no address, usually because it is misspelled and rarely for a short time. */
export class UnknownHost extends TransientFailure {}

/** A response for which a retry is useless. */
export class RefusedAnswer extends ExchangeFailure {}

/** The service responded with a status other than success. */
export class StatusError extends SourceError {
  readonly status: number;
  /** The error code in the body, such as `invalid_grant` or `resyncRequired`. It is text of the source. */
  readonly reason: string | undefined;

  constructor(message: string, status: number, { reason, said }: { reason?: string; said?: string } = {}) {
    super(message, { code: codeOf(status, reason), said });
    this.status = status;
    this.reason = reason;
  }
}

/** Classifies an error of an exchange by whether a retry may succeed. */
export function asFailure(error: unknown): Error {
  if (error instanceof RefusedAnswer || error instanceof SourceError || error instanceof TransientFailure) return error;
  const { message, code: systemCode = '' } = error as { message: string; code?: string };
  if (error instanceof BlockedError)
    return new RefusedAnswer(`the address is not allowed: ${message}`, { code: 'not_allowed' });
  if (error instanceof UnresolvedError) return new UnknownHost(message, { code: 'unreachable' });
  if (error instanceof ConnectTimeoutError) return new TransientFailure(message, { code: 'timed_out' });
  // The message contains the names in the certificate, which are text of the server.
  if (isTlsFailure(systemCode)) {
    return new RefusedAnswer(`TLS failed (${systemCode})`, { code: 'tls_failed', said: message });
  }
  if (systemCode === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' || systemCode === 'UND_ERR_SOCKET') {
    return new TransientFailure('the connection closed before the response was complete', {
      code: 'unreachable',
      said: message,
    });
  }
  if (systemCode.startsWith('HPE_')) return new TransientFailure(`the response is not valid HTTP (${systemCode})`);
  if (/^(UND_ERR_|ECONN|EPIPE|ENET|EHOST|EAI_|ETIMEDOUT|EADDR)/.test(systemCode)) {
    return new TransientFailure(`the connection failed (${systemCode})`, { code: 'unreachable', said: message });
  }
  // A defect of idsync, not a network failure.
  return error instanceof Error ? error : new Error(String(error));
}

/** Returns whether a Node error code is a TLS failure. */
export function isTlsFailure(systemCode: string): boolean {
  return /^(ERR_(TLS|SSL)|CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|EPROTO|HOSTNAME_MISMATCH)/.test(systemCode);
}

/** Token endpoints report rejected credentials by these codes with status 400. */
const refusedCredentials = new Set(['invalid_client', 'invalid_grant', 'unauthorized_client', 'invalid_token']);

/** Returns the error code of a status other than success. */
export function codeOf(status: number, reason?: string): SourceErrorCode {
  if (status === 401 || refusedCredentials.has(reason ?? '')) return 'auth_failed';
  if (status === 403) return 'forbidden';
  if (status === 404 || status === 410) return 'not_found';
  if (status === 408 || status === 504) return 'timed_out';
  if (status === 429) return 'rate_limited';
  return status >= 500 ? 'unavailable' : 'refused';
}
