const acronyms: Record<string, string> = {
  url: 'URL',
  dn: 'DN',
  id: 'ID',
  ssl: 'TLS',
  ca: 'Certificate authorities',
  oauth2: 'OAuth 2',
  auth: 'Authentication',
};

/** `bind_dn` as people read it: `Bind DN`. */
export function labelOf(name: string): string {
  const words = name.split('_').map((word) => (Object.hasOwn(acronyms, word) ? acronyms[word] : word));
  const text = words.join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Lines with text; undefined without any. */
export function linesOf(text: string): string[] | undefined {
  const lines = text.split('\n');
  return lines.some((line) => line.trim() !== '') ? lines : undefined;
}

/** The setting that a message of the service is about: `config.url must be …` is about `url`. */
export function settingOf(message: string): string | undefined {
  return /^(?:config|secrets)\.([a-z_]+)/.exec(message)?.[1];
}
