/** What stands there is no JSON; the message shows nothing of it. */
export class NotJson extends Error {}

const decoder = new TextDecoder('utf-8', { fatal: true });
const textOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;

/** Parses JSON of UTF-8 bytes as `parseJsonText` does. */
export function parseJson(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch (cause) {
    throw new NotJson('the answer is not UTF-8', { cause });
  }
  if (text === '') throw new NotJson('the answer is empty');
  return parseJsonText(text);
}

/**
 * Parses JSON. An integer that a number cannot hold exactly becomes text: two long ids would else be one. Throws NotJson.
 */
export function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(/\d{16}/.test(text) ? text.replaceAll(textOrNumber, exact) : text);
  } catch (cause) {
    throw new NotJson('the answer is not valid JSON', { cause });
  }
}

function exact(token: string): string {
  return /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token;
}
