import type { ReactNode } from 'react';
import styles from './status-badge.module.css';
import tones from './tones.module.css';
import { type Tone, toneOf, wordsOf } from './words';

/** A status of the API with its tone, or any text with a given one. */
export function StatusBadge({ status, tone, children }: { status?: string; tone?: Tone; children?: ReactNode }) {
  const shown = tone ?? toneOf(status ?? '');
  return <span className={`${styles.badge} ${tones[shown]}`}>{children ?? wordsOf(status ?? '')}</span>;
}
