import { CheckField, SelectField, TextField } from '../../components/fields';
import type { Draft } from './draft';
import styles from './setup.module.css';

const intervals = [
  { value: '15m', label: 'Every 15 minutes' },
  { value: '1h', label: 'Every hour' },
  { value: '6h', label: 'Every 6 hours' },
  { value: '1d', label: 'Every day' },
  { value: 'cron', label: 'At times (cron)' },
  { value: '', label: 'Manual: only when it is started' },
];

interface ScheduleStepProps {
  draft: Draft;
  onChange: (change: Partial<Draft>) => void;
}

/** When the source is read from now on. */
export function ScheduleStep({ draft, onChange }: ScheduleStepProps) {
  const isKnown = intervals.some(({ value }) => value === draft.every);
  const own = isKnown ? [] : [{ value: draft.every, label: `Every ${draft.every}` }];
  return (
    <div className={styles.form}>
      <SelectField
        label="Read the source"
        hint="A source that lists changes is read completely once a day, whatever the interval."
        value={draft.cron !== '' && draft.every === '' ? 'cron' : draft.every}
        choices={[...own, ...intervals]}
        onChange={(every) => onChange({ every, ...(every !== 'cron' && { cron: '', timeZone: '' }) })}
      />
      {(draft.every === 'cron' || draft.cron !== '') && (
        <div className={styles.pair}>
          <TextField
            label="Cron"
            hint="Minute, hour, day of the month, month, day of the week: 0 3 * * *"
            required
            value={draft.cron}
            onChange={(cron) => onChange({ every: 'cron', cron })}
          />
          <TextField
            label="Time zone (optional)"
            placeholder="UTC"
            value={draft.timeZone}
            onChange={(timeZone) => onChange({ timeZone })}
          />
        </div>
      )}
      <CheckField
        label="Read it now"
        hint="Starts a run, under the safeguard, as soon as you finish."
        checked={draft.readNow}
        onChange={(readNow) => onChange({ readNow })}
      />
    </div>
  );
}
