/**
 * Returns the URL that `text` is, read relative to `base` if it is given; undefined if it is none. It does not call
 * `URL.canParse`, which Node 20 compiles so that it refuses letters such as ü after some thousand calls.
 */
export function parseUrl(text: string, base?: URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
