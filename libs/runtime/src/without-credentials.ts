/** The user and password of a URL, what a scheme of authorization proves itself by, signing secrets, and the secret part of API keys. */
const credentials: readonly [RegExp, string][] = [
  [/(\w+:\/\/)[^\s/@]*@/g, '$1'],
  [/\b(Bearer|Basic) +[\w.~+/=-]+/gi, '$1 [redacted]'],
  [/\bwhsec_[\w+/=-]+/g, 'whsec_[redacted]'],
  [/\b(iss_[0-9a-z]{26})_[\w-]+/g, '$1_[redacted]'],
];

/** The text with every credential in it taken out. */
export function withoutCredentials(text: string): string {
  return credentials.reduce((clean, [found, instead]) => clean.replaceAll(found, instead), text);
}
