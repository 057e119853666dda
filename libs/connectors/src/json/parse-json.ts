/** The text is not valid JSON. The message contains no part of it. */
export class NotJson extends Error {}

const decoder = new TextDecoder('utf-8', { fatal: true });
/** Also matches an unterminated string, because otherwise each quote would start another scan to the end. */
const textOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"?|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;

/** Parses UTF-8 bytes as `parseJsonText` does. */
export function parseJson(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch (cause) {
    throw new NotJson('the response is not valid UTF-8', { cause });
  }
  if (text === '') throw new NotJson('the response is empty');
  return parseJsonText(text);
}

/**
 * Parses JSON. Integers beyond the safe range become text, so that two long ids stay different. Throws NotJson.
 */
export function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(/\d{16}/.test(text) ? text.replaceAll(textOrNumber, exact) : text);
  } catch (cause) {
    throw new NotJson('the response is not valid JSON', { cause });
  }
}

function exact(token: string): string {
  return /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token;
}
