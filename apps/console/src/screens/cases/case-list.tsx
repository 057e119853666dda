import { useEffect, useRef } from 'react';
import { Button } from '../../components/button';
import { recordName } from '../../components/describe-case';
import { Ago } from '../../components/time';
import type { ReviewCase } from '../../data/api';
import { useSourceName } from '../../data/connectors';
import styles from './case-list.module.css';

interface CaseListProps {
  cases: readonly ReviewCase[];
  current: string;
  onShow: (id: string) => void;
  onEnd?: () => unknown;
}

export function CaseList({ cases, current, onShow, onEnd }: CaseListProps) {
  const sourceName = useSourceName();
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    if (current) list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  return (
    <nav className={styles.pane} aria-label="Cases">
      <ul ref={list}>
        {cases.map(({ id, record, opened_at, candidates }) => (
          <li key={id}>
            <button
              type="button"
              className={styles.case}
              aria-current={id === current ? 'true' : undefined}
              onClick={() => onShow(id)}
            >
              <span className={styles.name} dir="auto">
                {recordName(record)}
              </span>
              <span className={styles.about}>
                {sourceName(record.connector_id)} ·{' '}
                {candidates.length === 1 ? '1 candidate' : `${candidates.length} candidates`} · <Ago at={opened_at} />
              </span>
            </button>
          </li>
        ))}
      </ul>
      {onEnd && (
        <Button look="quiet" small onClick={onEnd}>
          Load more
        </Button>
      )}
      <p className={styles.keys}>
        <kbd>j</kbd> <kbd>k</kbd> next, previous
      </p>
    </nav>
  );
}
