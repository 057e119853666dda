/** Maximum length of one text in the logs; longer texts are cut. */
export const maxLoggedLength = 8_192;

/**
 * Credentials to remove: user and password of a URL, values of authorization schemes, signing secrets, and the secret
 * part of API keys. Each pattern runs in linear time, because no match can start again inside text it has already
 * scanned.
 */
const credentials: readonly [RegExp, string][] = [
  [/(?<=\w:\/\/)[^\s/]*@/g, ''],
  [/\b(Bearer|Basic) +(?:(?:Bearer|Basic) +)*[\w.~+/=-]+/gi, '$1 [redacted]'],
  [/\bwhsec_[\w+/=-]+/g, 'whsec_[redacted]'],
  [/\b(is[st]_[0-9a-z]{26})_[\w-]+/g, '$1_[redacted]'],
];

/** Removes every credential from the text and cuts it to `maxLoggedLength`. */
export function withoutCredentials(text: string): string {
  return credentials.reduce((clean, [found, instead]) => clean.replaceAll(found, instead), cut(text));
}

/** Cuts at whitespace, because half of a credential would not be recognized. */
function cut(text: string): string {
  if (text.length <= maxLoggedLength) return text;
  const words = text.slice(0, maxLoggedLength).replace(/(?<!\S)\S+$/, '');
  return `${words}[… ${text.length} characters]`;
}

/** Omits the parameters and detail of a failed statement, because they contain personal data. */
export function plainError(error: unknown): object {
  if (!(error instanceof Error)) return { message: withoutCredentials(String(error)) };
  const { name, message, stack } = error;
  const code = (error as { code?: unknown }).code;
  return {
    type: name,
    message: withoutCredentials(message),
    stack: withoutCredentials(stack ?? ''),
    ...(typeof code === 'string' && { code }),
  };
}
