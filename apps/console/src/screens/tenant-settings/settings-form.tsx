import { useQueryClient } from '@tanstack/react-query';
import { CheckField, TextField } from '../../components/fields';
import { call } from '../../data/api';
import { changeDone } from '../../data/operations';
import { SectionForm } from './section-form';
import styles from './settings.module.css';
import {
  changesIn,
  type numbers,
  type SettingsDraft,
  type SettingsInput,
  type SettingsSection,
  withoutSection,
} from './settings-input';
import type { Settings } from './settings-queries';
import { viewNames } from './views';

interface SettingsFormProps {
  tenantId: string;
  section: SettingsSection;
  settings: Settings;
  draft: SettingsDraft;
  mayChange: boolean;
  onDraft: (draft: SettingsDraft) => void;
}

const abouts: Record<SettingsSection, string> = {
  operators: 'What acts of operators need, and what the audit log records.',
  people: 'When a person becomes active, and how long a leaver is kept. A change computes all statuses again.',
  findings: 'How old something is before a finding is opened.',
};

/** The settings of one section. Only those that have changed are sent. */
export function SettingsForm({ tenantId, section, settings, draft, mayChange, onDraft }: SettingsFormProps) {
  const client = useQueryClient();
  const changes = changesIn(section, settings, draft);
  const rest = () => onDraft(withoutSection(section, draft));
  const save = async () => {
    const ids = { tenantId };
    const answer = await call('PATCH /settings', ids, changes);
    await changeDone(tenantId, answer, 'Saved.');
    await client.invalidateQueries();
    rest();
  };
  const Fields = fieldsOf[section];
  return (
    <SectionForm
      title={viewNames[section]}
      about={abouts[section]}
      mayChange={mayChange}
      isChanged={Object.keys(changes).length > 0}
      onDiscard={rest}
      onSave={save}
    >
      <Fields
        input={{ ...settings, ...draft }}
        mayChange={mayChange}
        onChange={(changed) => onDraft({ ...draft, ...changed })}
      />
    </SectionForm>
  );
}

interface FieldsProps {
  input: SettingsInput;
  mayChange: boolean;
  onChange: (changed: SettingsDraft) => void;
}

const fieldsOf: Record<SettingsSection, (props: FieldsProps) => React.JSX.Element> = {
  operators: OperatorFields,
  people: PeopleFields,
  findings: FindingFields,
};

function OperatorFields(props: FieldsProps) {
  const { input, mayChange, onChange } = props;
  return (
    <>
      <CheckField
        label="Four eyes"
        hint="Releasing or applying a run, erasing a person, and changing rules or these settings wait for a second operator."
        checked={input.four_eyes}
        disabled={!mayChange}
        onChange={(four_eyes) => onChange({ four_eyes })}
      />
      <CheckField
        label="Record reads"
        hint="The audit log also has who has read data of people."
        checked={input.log_reads}
        disabled={!mayChange}
        onChange={(log_reads) => onChange({ log_reads })}
      />
      <div className={styles.fields}>
        <NumberField
          {...props}
          name="approval_hours"
          label="Hours to approve"
          hint="How long a second operator can approve."
        />
      </div>
    </>
  );
}

function PeopleFields(props: FieldsProps) {
  const { input, mayChange, onChange } = props;
  return (
    <div className={styles.fields}>
      <TextField
        label="Time zone"
        hint="In which a date without a time is a day."
        spellCheck={false}
        readOnly={!mayChange}
        value={input.time_zone}
        onChange={(time_zone) => onChange({ time_zone })}
      />
      <NumberField
        {...props}
        name="start_days_before"
        label="Days before the first day"
        hint="When a new person becomes active."
      />
      <NumberField
        {...props}
        name="grace_days"
        label="Days of grace"
        hint="How long a leaver stays inactive before the status is deleted."
      />
      <NumberField
        {...props}
        name="retention_days"
        label="Days of retention"
        hint="How long a deleted record can be read."
      />
    </div>
  );
}

function FindingFields(props: FieldsProps) {
  return (
    <div className={styles.fields}>
      <NumberField
        {...props}
        name="stale_source_hours"
        label="Hours until a source is stale"
        hint="Age of its last complete read."
      />
      <NumberField
        {...props}
        name="unmatched_account_hours"
        label="Hours until an account is unmatched"
        hint="Age of an account without a person."
      />
    </div>
  );
}

interface NumberFieldProps extends FieldsProps {
  name: (typeof numbers)[number];
  label: string;
  hint: string;
}

function NumberField({ name, label, hint, input, mayChange, onChange }: NumberFieldProps) {
  return (
    <TextField
      label={label}
      hint={hint}
      type="number"
      min={0}
      readOnly={!mayChange}
      value={String(input[name] ?? '')}
      onChange={(text) => onChange({ [name]: text })}
    />
  );
}
