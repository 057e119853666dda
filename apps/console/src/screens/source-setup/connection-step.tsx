import { FieldGroup, SelectField, TextArea, TextField } from '../../components/fields';
import { SchemaForm } from '../../components/schema-form';
import { labelOf, settingOf } from '../../components/schema-labels';
import type { ConnectorType } from '../../data/connector-types';
import type { Draft } from './draft';
import styles from './setup.module.css';
import { secretsOf, settingsOf } from './steps';

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
