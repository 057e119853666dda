import { Button } from './button';
import { copy } from './copy';
import { Icon } from './icon';
import styles from './json-view.module.css';

/** JSON as text, with its keys and values told apart, and a button that copies it. */
export function JsonView({ value, label }: { value: unknown; label: string }) {
  const text = JSON.stringify(value, null, 2) ?? '';
  return (
    <div className={styles.view}>
      <div className={styles.copy}>
        <Button look="quiet" small iconOnly aria-label={`Copy ${label}`} onClick={() => copy(text, 'JSON')}>
          <Icon name="copy" size={14} />
        </Button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard */}
      <section className={styles.text} tabIndex={0} aria-label={label}>
        <pre>
          {partsOf(text).map(({ kind, part, at }) => (
            <span key={at} className={styles[kind]}>
              {part}
            </span>
          ))}
        </pre>
      </section>
    </div>
  );
}

interface Part {
  kind: 'key' | 'string' | 'other';
  part: string;
  at: number;
}

/** Splits at strings; a string before a colon is a key. */
function partsOf(text: string): Part[] {
  const parts: Part[] = [];
  let at = 0;
  for (const match of text.matchAll(/"(?:[^"\\]|\\.)*"/g)) {
    const end = match.index + match[0].length;
    if (match.index > at) parts.push({ kind: 'other', part: text.slice(at, match.index), at });
    parts.push({ kind: text[end] === ':' ? 'key' : 'string', part: match[0], at: match.index });
    at = end;
  }
  if (at < text.length) parts.push({ kind: 'other', part: text.slice(at), at });
  return parts;
}
