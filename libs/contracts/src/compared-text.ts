/** Returns a text as it is compared: in one notation (Unicode NFKC), without invisible characters and outer spaces. */
export function comparedText(text: string): string {
  // Most values, for which the general way takes several times as long.
  if (/^[ -~]*$/.test(text)) return text.trim();
  return text
    .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
    .normalize('NFKC')
    .trim();
}
