/** The message of a run without the status that the page shows already: `quarantined: the run would …`. */
export function holdMessage(message: string): string {
  const text = message.replace(/^quarantined: /, '');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
