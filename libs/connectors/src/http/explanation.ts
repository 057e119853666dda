/** The code and the message of an error response; both are text of the source. */
export interface Explanation {
  code?: string;
  text?: string;
}

/** Parses the common forms of an error response (OAuth, SCIM, Graph, Google, Okta, GitHub, Kubernetes). */
export function explanation(body: string): Explanation {
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
  return { code, text };
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function firstText(...values: unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === 'string' && value.trim() !== '');
}

/** Documented error names, which messages may contain. All other names are text of the source. */
const documented = new Set(
  [
    // OAuth 2.0 (RFC 6749, 6750, 9449)
    'invalid_request invalid_client invalid_grant unauthorized_client unsupported_grant_type invalid_scope access_denied',
    'invalid_token insufficient_scope temporarily_unavailable server_error invalid_dpop_proof use_dpop_nonce',
    // SCIM (RFC 7644, 9865)
    'invalidFilter tooMany uniqueness mutability invalidSyntax invalidPath noTarget invalidValue invalidVers sensitive',
    'invalidCursor expiredCursor invalidCount',
    // Microsoft Graph
    'Authorization_RequestDenied Authorization_IdentityNotFound InvalidAuthenticationToken Request_BadRequest',
    'Request_ResourceNotFound Directory_ExpiredPageToken syncStateNotFound resyncRequired TooManyRequests',
    // Google
    'PERMISSION_DENIED UNAUTHENTICATED INVALID_ARGUMENT NOT_FOUND FAILED_PRECONDITION RESOURCE_EXHAUSTED UNAVAILABLE',
    // Okta
    'E0000004 E0000006 E0000007 E0000011 E0000015 E0000022 E0000031 E0000047',
    // AWS IAM
    'AccessDenied ExpiredToken IncompleteSignature InvalidClientTokenId NoSuchEntity RequestExpired SignatureDoesNotMatch',
    'Throttling ServiceFailure ServiceUnavailable ReportNotPresent ReportExpired ReportInProgress',
    // Kubernetes
    'Unauthorized Forbidden NotFound Expired Gone Invalid Timeout ServerTimeout InternalError',
    // GitHub GraphQL
    'FORBIDDEN INSUFFICIENT_SCOPES RATE_LIMITED',
  ].flatMap((line) => line.split(' ')),
);

/** Microsoft Entra error numbers for app credentials. */
const signInNumbers = new Set([
  '50034',
  '53003',
  '70011',
  '90002',
  '700016',
  '700027',
  '7000112',
  '7000215',
  '7000222',
]);

/** Returns the documented names in an explanation, which messages may contain. */
export function documentedNames({ code, text }: Explanation): string {
  const number = /\bAADSTS(\d{5,7})\b/.exec(text?.slice(0, 200) ?? '')?.[1];
  return [code !== undefined && documented.has(code) && code, signInNumbers.has(number ?? '') && `AADSTS${number}`]
    .filter((name) => name !== false)
    .join(', ');
}
