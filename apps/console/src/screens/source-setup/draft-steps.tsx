import { CheckField, FieldGroup, SelectField, TextArea, TextField } from '../../components/fields';
import { SchemaForm } from '../../components/schema-form';
import { labelOf, settingOf } from '../../components/words';
import type { ConnectorType } from '../../data/connector-types';
import type { Draft } from './draft';
import styles from './setup.module.css';
import { describeType, secretsOf, settingsOf } from './steps';

interface TypeStepProps {
  types: readonly ConnectorType[];
  chosen: string | undefined;
  onChoose: (type: string) => void;
}

const groups = ['Files', 'Directories and databases', 'Identity providers', 'Machines and cloud'] as const;

/** The types of sources, as large buttons. */
export function TypeStep({ types, chosen, onChoose }: TypeStepProps) {
  return groups.map((group) => (
    <section key={group} className={styles.group} aria-label={group}>
      <h2 className={styles.groupTitle}>{group}</h2>
      <div className={styles.cards}>
        {types
          .filter(({ type }) => describeType(type).group === group)
          .map(({ type }) => {
            const { title, about } = describeType(type);
            return (
              <button
                key={type}
                type="button"
                className={styles.card}
                aria-pressed={type === chosen}
                onClick={() => onChoose(type)}
              >
                <span className={styles.cardTitle}>{title}</span>
                <span className={styles.cardAbout}>{about}</span>
              </button>
            );
          })}
      </div>
    </section>
  ));
}

export type Secrets = Readonly<Record<string, string>>;

interface ConnectionStepProps {
  type: ConnectorType;
  draft: Draft;
  secrets: Secrets;
  /** Names of the secrets that the service has already. */
  stored: readonly string[];
  /** The source exists; its kind of records cannot change. */
  isStored: boolean;
  error: string | undefined;
  onChange: (change: Partial<Draft>) => void;
  onSecrets: (secrets: Secrets) => void;
}

const kinds = [
  { value: 'user', label: 'People' },
  { value: 'account', label: 'Accounts of people' },
  { value: 'machine_identity', label: 'Machine identities' },
];

/** Name, address and secrets of the source. */
export function ConnectionStep(props: ConnectionStepProps) {
  const { type, draft, secrets, stored, isStored, error, onChange, onSecrets } = props;
  const { first, more } = settingsOf(type);
  const wanted = secretsOf(type, draft.config);
  const about = error === undefined ? undefined : settingOf(error);
  const errors = about === undefined || error === undefined ? {} : { [about]: error };
  const set = (name: string, value: unknown) => onChange({ config: { ...draft.config, [name]: value } });
  const form = { schema: type.config, value: draft.config, errors, onChange: set };
  const isOpen = more.some((name) => draft.config[name] !== undefined || name === about);
  return (
    <div className={styles.form}>
      <FieldGroup legend="Source">
        <TextField
          label="Name"
          hint="Shown wherever a value comes from this source."
          required
          maxLength={200}
          dir="auto"
          value={draft.name}
          onChange={(name) => onChange({ name })}
        />
        <div className={styles.pair}>
          <SelectField
            label="It lists"
            value={draft.records}
            disabled={isStored}
            choices={kinds}
            onChange={(records) => onChange({ records: records as Draft['records'] })}
          />
          <TextField
            label="Priority"
            hint="The lowest number wins when sources disagree."
            type="number"
            min={0}
            max={1_000_000}
            required
            value={draft.priority}
            onChange={(priority) => onChange({ priority })}
          />
        </div>
      </FieldGroup>
      {first.length > 0 && (
        <FieldGroup legend="Address">
          <SchemaForm {...form} names={first} />
        </FieldGroup>
      )}
      {wanted.length > 0 && (
        <FieldGroup legend="Secrets" hint="Encrypted before they are stored, and never shown again.">
          {wanted.map((name) => {
            const field = {
              label: labelOf(name),
              hint: stored.includes(name)
                ? 'Stored. Leave it empty to keep it.'
                : type.secrets.properties?.[name]?.description,
              error: errors[name],
              autoComplete: 'off',
              spellCheck: false,
              placeholder: stored.includes(name) ? '••••••••' : undefined,
              value: secrets[name] ?? '',
              onChange: (value: string) => onSecrets({ ...secrets, [name]: value }),
            };
            const isLong = /_key$/.test(name) && !/access_key/.test(name);
            return isLong ? (
              <TextArea key={name} {...field} rows={3} />
            ) : (
              <TextField key={name} {...field} type="password" autoComplete="new-password" />
            );
          })}
        </FieldGroup>
      )}
      {more.length > 0 && (
        <details className={styles.more} open={isOpen || undefined}>
          <summary>More settings ({more.length})</summary>
          <div className={styles.form}>
            <SchemaForm {...form} names={more} />
          </div>
        </details>
      )}
    </div>
  );
}

const intervals = [
  { value: '15m', label: 'Every 15 minutes' },
  { value: '1h', label: 'Every hour' },
  { value: '6h', label: 'Every 6 hours' },
  { value: '1d', label: 'Every day' },
  { value: 'cron', label: 'At times (cron)' },
  { value: '', label: 'Manual: only when it is started' },
];

/** When the source is read from now on. */
export function ScheduleStep({ draft, onChange }: { draft: Draft; onChange: (change: Partial<Draft>) => void }) {
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
