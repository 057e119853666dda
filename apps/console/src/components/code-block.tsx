import { Button } from './button';
import styles from './code-block.module.css';
import { copy } from './copy';
import { Icon } from './icon';

/** Text in a region that scrolls, with a button that copies it. */
export function CodeBlock({ label, text }: { label: string; text: string }) {
  return (
    <div className={styles.code}>
      <Button look="quiet" small iconOnly aria-label={`Copy ${label}`} onClick={() => copy(text, label)}>
        <Icon name="copy" size={14} />
      </Button>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard */}
      <section tabIndex={0} aria-label={label}>
        <pre>{text}</pre>
      </section>
    </div>
  );
}
