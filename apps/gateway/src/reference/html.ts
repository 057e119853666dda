const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes a text for element content and quoted attributes. */
export function escapeText(text: unknown): string {
  return String(text).replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

/** Escapes a description and shows its `code`. */
export function prose(text: string): string {
  return escapeText(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

/** Returns an id for links: `Operator: sync jobs` becomes `operator-sync-jobs`. */
export function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

/** Colours JSON, or a line of code, by its tokens. Text between tokens is escaped. */
export function highlight(code: string): string {
  const token =
    /("(?:[^"\\]|\\.)*")(\s*:)?|('[^'\n]*')|\b(true|false|null|await|const|for|of|new|import|from)\b|\b(\d+(?:\.\d+)?)\b/g;
  let shown = '';
  let end = 0;
  for (const match of code.matchAll(token)) {
    const [text, double, colon, single, word] = match;
    shown += escapeText(code.slice(end, match.index));
    if (double !== undefined && colon !== undefined) shown += `<span class="k">${escapeText(double)}</span>${colon}`;
    else if (double !== undefined || single !== undefined) shown += `<span class="s">${escapeText(text)}</span>`;
    else shown += `<span class="${word === undefined ? 'n' : 'w'}">${escapeText(text)}</span>`;
    end = match.index + text.length;
  }
  return shown + escapeText(code.slice(end));
}
