/** Returns a text as it is compared: in one notation (Unicode NFKC), without invisible characters and outer spaces. */
export function comparedText(text: string): string {
  // Most values, for which the general way takes several times as long.
  if (/^[ -~]*$/.test(text)) return text.trim();
  return text
    .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
    .normalize('NFKC')
    .trim();
}

const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u00a0\u2000-\u200a\u202f\u205f\u3000]/gu;

/** Returns a text with its invisible characters and unusual spaces as code points, such as `<U+200B>`. */
export function visibleText(text: string): string {
  return text.replace(invisible, (character) => `<U+${codePointOf(character)}>`);
}

function codePointOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}
