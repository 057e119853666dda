/** What stands there is no JSON; the message shows nothing of it. */
export class NotJson extends Error {}

const decoder = new TextDecoder('utf-8', { fatal: true });
const textOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;

/**
 * Parses JSON of UTF-8 bytes. An integer that a number cannot hold exactly becomes text: two long ids would else be one. Throws
 * NotJson.
 */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    const text = decoder.decode(bytes);
    return JSON.parse(/\d{16}/.test(text) ? text.replaceAll(textOrNumber, exact) : text);
  } catch (cause) {
    throw new NotJson(bytes.length === 0 ? 'the answer is empty' : 'the answer is not valid JSON', { cause });
  }
}

function exact(token: string): string {
  return /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token;
}
