const quote = 0x22;
const backslash = 0x5c;
/** `[` and `{`, `]` and `}`. */
const opening = new Set([0x5b, 0x7b]);
const closing = new Set([0x5d, 0x7d]);

/**
 * True of JSON in which more than `most` lists and objects stand within each other. It is asked of the text, before anything is made of
 * it: what walks values that deep by calling itself fails, and making them takes long. Of what is no JSON it says nothing of use.
 */
export function isNestedDeeper(json: Uint8Array, most: number): boolean {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] ?? 0;
    if (inText) {
      if (byte === backslash) at += 1;
      else if (byte === quote) inText = false;
    } else if (byte === quote) inText = true;
    else if (opening.has(byte)) {
      depth += 1;
      if (depth > most) return true;
    } else if (closing.has(byte)) depth -= 1;
  }
  return false;
}
