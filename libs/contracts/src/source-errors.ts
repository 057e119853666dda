import { z } from 'zod';

/**
 * Error codes of a source and their meaning. Codes are stable; new ones may be added. The sentence replaces an error
 * message that would expose a secret.
 */
export const sourceErrors = {
  misconfigured: 'the configuration or a secret of the connector cannot be used',
  not_allowed: 'the address of the source is not allowed',
  unreachable: 'the connection to the source could not be opened, or was closed early',
  tls_failed: 'the TLS handshake with the source failed, or its certificate is not trusted',
  timed_out: 'the source did not answer in time',
  auth_failed: 'the source refused the credentials',
  forbidden: 'the credentials lack the required permission',
  not_found: 'the source has no resource at the configured location',
  rate_limited: 'the source limits the rate of requests',
  unavailable: 'the source is temporarily unavailable',
  refused: 'the source rejected a request',
  bad_answer: 'the source returned an unusable response',
  incomplete: 'the source did not return all records, or does not say whether it did',
  changed: 'the source or its connector changed while it was read',
  too_large: 'the source returned more than the limit allows',
} as const;

export type SourceErrorCode = keyof typeof sourceErrors;
export const sourceErrorCodes = Object.keys(sourceErrors) as [SourceErrorCode, ...SourceErrorCode[]];
/** A string instead of an enum, so that a service can read codes that a newer version added. */
export const sourceErrorCode = z.string().describe(`Why the source failed: ${sourceErrorCodes.join(' | ')}.`);
export const sourceMessage = z
  .string()
  .describe(
    "Text that the source returned, with the connector's secrets redacted and then truncated; or why it is withheld.",
  );
