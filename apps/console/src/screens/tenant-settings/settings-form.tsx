import { type QuotaName, quotaNames } from '@idsync/contracts/fixed-values';
import { useQueryClient } from '@tanstack/react-query';
import type { ComponentProps } from 'react';
import { Button } from '../../components/button';
import { CheckField, TextField } from '../../components/fields';
import { Form } from '../../components/form';
import { formatCount } from '../../components/format-time';
import { notify } from '../../components/notices';
import { Section } from '../../components/page';
import { call, type QuotaUsage, useTenantId } from '../../data/api';
import { changeDone } from '../../data/operations';
import type { SettingsView } from '../../data/searches';
import styles from './settings.module.css';
import {
  changesIn,
  isChangedQuota,
  isNumber,
  labelsOf,
  limitsOf,
  type QuotaInput,
  quotaInputOf,
  type Settings,
  type SettingsDraft,
  type SettingsSection,
  sections,
  viewNames,
  withoutSection,
} from './settings-input';

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
  const fields = labelsOf(section).map(([name, [label, hint, none]]) => ({
    name,
    label,
    hint,
    none,
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
        ({ name, label, hint, value, set }) =>
          typeof value === 'boolean' && (
            <CheckField key={name} label={label} hint={hint} checked={value} disabled={!mayChange} onChange={set} />
          ),
      )}
      <div className={styles.fields}>
        {fields.map(
          ({ name, none, value, set, ...about }) =>
            typeof value !== 'boolean' && (
              <TextField
                key={name}
                {...about}
                {...(isNumber(settings[name as keyof Settings]) && { type: 'number', min: 0 })}
                placeholder={none}
                readOnly={!mayChange}
                value={String(value ?? '')}
                onChange={set}
              />
            ),
        )}
      </div>
    </SectionForm>
  );
}

interface SectionFormProps extends Pick<ComponentProps<typeof Form>, 'mayChange' | 'onSubmit' | 'children'> {
  view: SettingsView;
  about: string;
  isChanged: boolean;
  onDiscard: () => void;
}

/** Settings that are saved together. */
function SectionForm({ view, about, isChanged, onDiscard, children, ...form }: SectionFormProps) {
  return (
    <Section title={viewNames[view]}>
      <Form
        {...form}
        className={styles.form}
        action="Save"
        isReady={isChanged}
        cancel={
          <Button type="reset" disabled={!isChanged}>
            Discard
          </Button>
        }
        onReset={onDiscard}
      >
        <p className={styles.about}>{about}</p>
        {children}
      </Form>
    </Section>
  );
}

const labels: Record<QuotaName, string> = {
  people: 'People',
  connectors: 'Sources',
  webhooks: 'Webhooks',
  requests_per_minute: 'Requests in a minute',
};

interface QuotasProps {
  usage: QuotaUsage;
  draft: QuotaInput;
  mayChange: boolean;
  onDraft: (draft: QuotaInput) => void;
}

/** Limits of the tenant, and how much of them is used. Only operators of all tenants change them. */
export function Quotas({ usage, draft, mayChange, onDraft }: QuotasProps) {
  const tenantId = useTenantId();
  const client = useQueryClient();
  const input = { ...quotaInputOf(usage), ...draft };
  const save = async () => {
    const ids = { tenantId };
    await call('PUT /quotas', ids, limitsOf(input));
    notify('Saved.');
    await client.invalidateQueries({ queryKey: ['quotas', tenantId] });
    onDraft({});
  };
  return (
    <SectionForm
      view="quotas"
      about="What the tenant may have and use; without a number, it is unlimited. Operators of all tenants change them."
      mayChange={mayChange}
      isChanged={isChangedQuota(usage, draft)}
      onDiscard={() => onDraft({})}
      onSubmit={save}
    >
      <div className={styles.fields}>
        {quotaNames.map((name) => (
          <TextField
            key={name}
            label={labels[name]}
            hint={`${formatCount(usage[name].used)} used now`}
            type="number"
            min={0}
            placeholder="Unlimited"
            readOnly={!mayChange}
            value={input[name] ?? ''}
            onChange={(text) => onDraft({ ...draft, [name]: text })}
          />
        ))}
      </div>
    </SectionForm>
  );
}
