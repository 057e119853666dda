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

/** Paths of 16 px line icons. */
const paths = {
  home: 'M2.5 7 8 2.5 13.5 7v6a.5.5 0 0 1-.5.5H9.8V9.5H6.2v4H3a.5.5 0 0 1-.5-.5z',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10m3.6-1.4L14 14',
  person: 'M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6m-5.5 6c.5-3 2.8-4.5 5.5-4.5s5 1.5 5.5 4.5',
  cases: 'M2 3.5h5v9H2zM9 3.5h5v9H9zM4 6h1m-1 2h1m6-2h1m-1 2h1',
  finding: 'M8 2 14.5 13.5h-13zM8 6.5v3m0 1.9v.1',
  account:
    'M2 4h12v8.5H2zM4.5 10c.3-1.3 1-1.8 1.8-1.8S7.8 8.7 8 10M9.5 6.5H12M9.5 9H12M6.3 7.2a.9.9 0 1 0 0-1.8.9.9 0 0 0 0 1.8',
  source: 'M3 4c0-1.1 2.2-2 5-2s5 .9 5 2-2.2 2-5 2-5-.9-5-2v8c0 1.1 2.2 2 5 2s5-.9 5-2V4M3 8c0 1.1 2.2 2 5 2s5-.9 5-2',
  run: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12M8 4.5V8l2.5 1.5',
  plan: 'M4.5 5.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3m0 8a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3m7 0a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3m-7-8v5m7 0V6.5a2 2 0 0 0-2-2H7.5m1.5-2-2 2 2 2',
  webhook: 'M2 8.5 14 3l-4 10.5-2.5-4zm5.5 1L14 3',
  event: 'M9 1.5 3.5 9H8l-1 5.5L12.5 7H8z',
  machine: 'M4.5 4.5h7v7h-7zM6.5 2v2.5m3-2.5v2.5m-3 7V14m3-2.5V14M2 6.5h2.5M2 9.5h2.5m7-3H14m-2.5 3H14',
  rule: 'M2 4h6m3 0h3M2 8h2m3 0h7M2 12h7m3 0h2M9.5 5.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3m-4 4a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3m5 4a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3',
  access: 'M10.5 2a3.5 3.5 0 1 1-3.3 4.7L2 12v2h2.5v-1.5H6V11h1.5l1.2-1.2M11.3 4.7v.1',
  system: 'M2 3h12v4H2zm0 6h12v4H2zm2.5-4h.1m-.1 6h.1',
  settings:
    'M2 5h7m3 0h2M2 11h2m3 0h7M10.5 6.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3m-5 6a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3',
  check: 'm3 8.5 3.3 3.3L13 5',
  close: 'm4 4 8 8m0-8-8 8',
  copy: 'M5.5 5.5h8v8h-8zM3.5 10.5h-1v-8h8v1',
  chevron: 'm4 6 4 4 4-4',
  next: 'm6 4 4 4-4 4',
  menu: 'M2 4h12M2 8h12M2 12h12',
  more: 'M3.5 8h.1M8 8h.1M12.5 8h.1',
  code: 'M5.5 4.5 2 8l3.5 3.5m5-7L14 8l-3.5 3.5',
  sun: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6M8 1.5V3m0 10v1.5M1.5 8H3m10 0h1.5M3.4 3.4l1 1m7.2 7.2 1 1m0-9.2-1 1m-7.2 7.2-1 1',
  moon: 'M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7',
  screen: 'M2 3h12v8H2zm4 10.5h4',
  link: 'M7 9a2.8 2.8 0 0 0 4 0l2-2a2.8 2.8 0 0 0-4-4l-.7.7M9 7a2.8 2.8 0 0 0-4 0L3 9a2.8 2.8 0 0 0 4 4l.7-.7',
  history: 'M2.5 8a5.5 5.5 0 1 1 1.6 3.9M2.5 8V4.5M2.5 8H6m2-2.5V8l2 1.5',
  plus: 'M8 3v10M3 8h10',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth={name === 'more' ? 2.2 : 1.4}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={paths[name]} />
    </svg>
  );
}
