import { Button } from '../../components/button';
import { formatCount } from '../../components/format-time';
import { Section } from '../../components/page';
import type { SyncPlan } from '../../data/api';
import type { PlanAction } from './plan-search';
import styles from './reasons.module.css';

type Reason = SyncPlan['reasons'][number];

const titles: Record<string, string> = {
  deleted: 'Too many people would be deleted',
  disabled: 'Too many people would be disabled',
  created: 'Too many new people',
  changed: 'Too many people would change',
  rekeyed: 'Looks re-keyed: new ids for people who are known',
  failed: 'Too many records could not be used',
  empty_source: 'The source is empty',
};
const actionOf: Record<string, PlanAction> = {
  deleted: 'delete',
  disabled: 'disable',
  created: 'create',
  rekeyed: 'create',
  changed: 'update',
};

/** Why the safeguard holds the run: how many records, compared with what it allows, and examples. */
export function Reasons({ reasons, onShow }: { reasons: readonly Reason[]; onShow: (action: PlanAction) => void }) {
  return (
    <Section title="Why it is held" flush>
      <ul>
        {reasons.map((reason) => (
          <ReasonRow key={`${reason.rule} ${reason.field}`} reason={reason} onShow={onShow} />
        ))}
      </ul>
    </Section>
  );
}

function ReasonRow({ reason, onShow }: { reason: Reason; onShow: (action: PlanAction) => void }) {
  const { rule, field, count, of, max_percent: maxPercent, text, examples } = reason;
  const action = Object.hasOwn(actionOf, rule) ? actionOf[rule] : undefined;
  const percent = of > 0 ? Math.round((count / of) * 100) : 100;
  return (
    <li className={styles.reason}>
      <div className={styles.head}>
        <h3 className={styles.title}>
          {(Object.hasOwn(titles, rule) ? titles[rule] : undefined) ?? rule}
          {field && <code className={styles.field}>{field}</code>}
        </h3>
        {action && (
          <Button small onClick={() => onShow(action)}>
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
          {formatCount(count)} of {formatCount(of)} ({percent} %
          {maxPercent !== undefined && `, allowed ${maxPercent} %`})
        </span>
      </div>
      <p className={styles.text}>{text}</p>
      {examples.length > 0 && (
        <ul className={styles.examples} aria-label="Examples">
          {examples.map((example) => (
            <li key={example} dir="auto">
              {example}
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}
