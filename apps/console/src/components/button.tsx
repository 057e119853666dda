import type { ComponentProps } from 'react';
import styles from './button.module.css';

interface Look {
  look?: 'primary' | 'danger' | 'quiet' | 'plain';
  small?: boolean;
  /** Square; needs an `aria-label`. */
  iconOnly?: boolean;
}

/** Classes of a button, for links that look like one. */
export function buttonClass({ look = 'plain', small, iconOnly }: Look = {}): string {
  const looks = { primary: styles.primary, danger: styles.danger, quiet: styles.quiet, plain: '' };
  return [styles.button, looks[look], small && styles.small, iconOnly && styles.iconOnly].filter(Boolean).join(' ');
}

export function Button({ look, small, iconOnly, type = 'button', ...rest }: Look & ComponentProps<'button'>) {
  return <button type={type} {...rest} className={buttonClass({ look, small, iconOnly })} />;
}
