/** Of a page of the gateway: only own files, no inline scripts and styles, and inside of frames of these origins only. */
export function policyWithin(ancestors: readonly string[]): string {
  return `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors ${ancestors.join(' ') || "'none'"}`;
}

/** Of all pages except the subscriber portal: never inside of a frame. */
export const contentSecurityPolicy = policyWithin([]);

/** Of the API reference, whose viewer sets styles inline. */
export const policyOfReference = contentSecurityPolicy.replace("style-src 'self'", "$& 'unsafe-inline'");
