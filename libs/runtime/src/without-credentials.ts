/** The text with the user and password of every URL in it taken out. */
export function withoutCredentials(text: string): string {
  return text.replaceAll(/(\w+:\/\/)[^\s/@]*@/g, '$1');
}
