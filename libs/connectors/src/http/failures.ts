import { BlockedError, ConnectTimeoutError, UnresolvedError } from '@idsync/runtime';
import { SourceError } from '../connector.js';

/** Another try may go better: nobody answered, or the answer broke off. */
export class TransientFailure extends Error {}

/** An answer that no other try would better; the message lacks whose it was. */
export class RefusedAnswer extends Error {}

/** The service answered, but with a status that is no success. */
export class StatusError extends SourceError {
  constructor(
    message: string,
    readonly status: number,
    /** What the service calls it, as far as its body tells: `invalid_grant`, `resyncRequired`. */
    readonly code: string | undefined,
  ) {
    super(message);
  }
}

/** What went wrong in an exchange, by whether another try could go better. */
export function asFailure(error: unknown): Error {
  if (error instanceof RefusedAnswer || error instanceof SourceError || error instanceof TransientFailure) return error;
  const { message, code = '' } = error as { message: string; code?: string };
  const said = [message, code && `(${code})`].filter((part) => part !== '').join(' ');
  if (error instanceof BlockedError) return new RefusedAnswer(`it is not called: ${message}`);
  if (error instanceof UnresolvedError || error instanceof ConnectTimeoutError) return new TransientFailure(message);
  if (/^(ERR_(TLS|SSL)|CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|EPROTO|HOSTNAME_MISMATCH)/.test(code)) {
    return new RefusedAnswer(`TLS failed: ${said}`);
  }
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' || code === 'UND_ERR_SOCKET') {
    return new TransientFailure(`the connection ended before the answer did: ${said}`);
  }
  if (/^(UND_ERR_|HPE_|ECONN|EPIPE|ENET|EHOST|EAI_|ETIMEDOUT|EADDR)/.test(code)) return new TransientFailure(said);
  // Ours, not the network's.
  return error instanceof Error ? error : new Error(String(error));
}

/** What a service says of its error, whichever of the usual forms it has (OAuth, SCIM, Graph, Google, Okta, GitHub, Kubernetes). */
export function explanation(body: string): { code?: string; text?: string } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return {};
  }
  const outer = asObject(parsed);
  const inner = asObject(outer.error);
  const code = firstText(
    inner.code,
    inner.status,
    outer.error,
    outer.errorCode,
    outer.scimType,
    outer.code,
    outer.reason,
  );
  const text = firstText(
    inner.message,
    outer.error_description,
    outer.detail,
    outer.errorSummary,
    outer.message,
    outer.title,
  );
  return { ...(code && { code }), ...(text && { text }) };
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function firstText(...values: unknown[]): string | undefined {
  const found = values.find((value): value is string => typeof value === 'string' && value.trim() !== '');
  return found
    ?.replaceAll(/[\p{Cc}\p{Surrogate}]+/gu, ' ')
    .trim()
    .slice(0, 300);
}
