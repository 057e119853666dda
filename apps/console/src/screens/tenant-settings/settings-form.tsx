import { useQueryClient } from '@tanstack/react-query';
import { CheckField, TextField } from '../../components/fields';
import { call } from '../../data/api';
import { changeDone } from '../../data/operations';
import { useTenantId } from '../../data/use-tenant';
import { SectionForm } from './section-form';
import styles from './settings.module.css';
import { changesIn, type SettingsDraft, type SettingsSection, sections, withoutSection } from './settings-input';
import type { Settings } from './settings-queries';

interface SettingsFormProps {
  section: SettingsSection;
  settings: Settings;
  draft: SettingsDraft;
  mayChange: boolean;
  onDraft: (draft: SettingsDraft) => void;
}

/** The settings of one section. Only those that have changed are sent. */
export function SettingsForm({ section, settings, draft, mayChange, onDraft }: SettingsFormProps) {
  const tenantId = useTenantId();
  const client = useQueryClient();
  const changes = changesIn(section, settings, draft);
  const rest = () => onDraft(withoutSection(section, draft));
  const save = async () => {
    await changeDone(tenantId, await call('PATCH /settings', { tenantId }, changes), 'Saved.');
    await client.invalidateQueries();
    rest();
  };
  const input: Readonly<Record<string, unknown>> = { ...settings, ...draft };
  const fields = Object.entries(sections[section].fields).map(([name, [label, hint]]) => ({
    name,
    label,
    hint,
    value: input[name],
    set: (value: string | boolean) => onDraft({ ...draft, [name]: value }),
  }));
  return (
    <SectionForm
      view={section}
      about={sections[section].about}
      mayChange={mayChange}
      isChanged={Object.keys(changes).length > 0}
      onDiscard={rest}
      onSubmit={save}
    >
      {fields.map(
        ({ name, value, set, ...about }) =>
          typeof value === 'boolean' && (
            <CheckField key={name} {...about} checked={value} disabled={!mayChange} onChange={set} />
          ),
      )}
      <div className={styles.fields}>
        {fields.map(
          ({ name, value, set, ...about }) =>
            typeof value !== 'boolean' && (
              <TextField
                key={name}
                {...about}
                {...(typeof settings[name as keyof Settings] === 'number' && { type: 'number', min: 0 })}
                readOnly={!mayChange}
                value={String(value)}
                onChange={set}
              />
            ),
        )}
      </div>
    </SectionForm>
  );
}
