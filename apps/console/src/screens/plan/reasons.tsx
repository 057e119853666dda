import type { PlanAction } from '@idsync/contracts/fixed-values';
import { Button } from '../../components/button';
import { formatCount } from '../../components/format-time';
import { Section } from '../../components/page';
import { entryOf } from '../../components/words';
import type { SyncPlan } from '../../data/api';
import type { PlanSearch } from '../../data/searches';
import { allowedOf } from './describe-plan';
import styles from './reasons.module.css';

type Reason = SyncPlan['reasons'][number];

/** Between the old and the new id of a record. */
const pair = ' → ';

const titles: Record<string, string> = {
  deleted: 'Too many records would be deleted',
  disabled: 'Too many records would be disabled',
  enabled: 'Too many records would become active again',
  reused: 'Ids now belong to other people',
  created: 'Too many new records',
  changed: 'Too many records would change',
  rekeyed: 'Known records would get new ids',
  failed: 'Too many records could not be used',
  empty_source: 'The source is empty',
};
const actionOf: Record<string, PlanAction> = {
  deleted: 'delete',
  disabled: 'disable',
  created: 'create',
  changed: 'update',
};

interface ReasonsProps {
  reasons: readonly Reason[];
  /** Whether the run waits for a decision now. */
  isHeld: boolean;
  onShow: (shown: PlanSearch) => void;
}

/** Why the safeguard holds the run: how many records, compared with what it allows, and examples. */
export function Reasons({ reasons, isHeld, onShow }: ReasonsProps) {
  return (
    <Section title={isHeld ? 'Why it is held' : 'Why the safeguard stops such a run'} flush>
      <ul>
        {reasons.map((reason) => (
          <ReasonRow key={`${reason.rule} ${reason.field}`} reason={reason} onShow={onShow} />
        ))}
      </ul>
    </Section>
  );
}

function ReasonRow({ reason, onShow }: { reason: Reason; onShow: ReasonsProps['onShow'] }) {
  const { rule, field, count, of, max_percent: maxPercent, text, examples } = reason;
  const more = count - examples.length;
  const allowed = allowedOf(reason);
  const action = entryOf(actionOf, rule);
  const percent = of > 0 ? Math.round((count / of) * 100) : 100;
  return (
    <li className={styles.reason}>
      <div className={styles.head}>
        <h3 className={styles.title}>
          {entryOf(titles, rule) ?? rule}
          {field && <code className={styles.field}>{field}</code>}
        </h3>
        {action && (
          <Button small onClick={() => onShow({ action, find: undefined })}>
            Show them
          </Button>
        )}
      </div>
      <div className={styles.share}>
        <svg className={styles.bar} viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
          <rect className={styles.track} width={100} height={8} />
          <rect className={styles.part} width={Math.min(percent, 100)} height={8} />
          {maxPercent !== undefined && (
            <rect className={styles.bound} x={Math.min(maxPercent, 99)} width={1} height={8} />
          )}
        </svg>
        <span>
          {formatCount(count)} of {formatCount(of)} records ({percent} %){allowed && `. ${allowed}`}
        </span>
      </div>
      <p className={styles.text}>{text}</p>
      {examples.length > 0 && (
        <ul className={styles.examples} aria-label="Examples">
          {examples.map((example) => (
            <li key={example}>
              {example.split(pair).map((id, index) => (
                <span key={id}>
                  {index > 0 && <span className={styles.becomes}> → </span>}
                  <button
                    type="button"
                    className={styles.example}
                    title={`Show ${id} in the plan`}
                    onClick={() => onShow({ action: undefined, find: id })}
                  >
                    <bdi>{id}</bdi>
                  </button>
                </span>
              ))}
            </li>
          ))}
          {more > 0 && <li className={styles.more}>+{formatCount(more)}</li>}
        </ul>
      )}
    </li>
  );
}
