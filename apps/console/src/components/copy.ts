import { notify } from './notices';

/** Copies a text, and reports it. Without HTTPS a browser has no clipboard for pages. */
export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notify(`${what} copied`);
  } catch {
    notify('The browser did not allow copying. The clipboard needs HTTPS or localhost.', 'bad');
  }
}
