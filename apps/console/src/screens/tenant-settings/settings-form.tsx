import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Button } from '../../components/button';
import { CheckField, FieldGroup, TextField } from '../../components/fields';
import { notify } from '../../components/notices';
import { Section } from '../../components/page';
import { answerOf, api } from '../../data/api';
import { isApproval } from '../../data/operations';
import styles from './settings.module.css';
import { changesOf, type numbers, type SettingsInput } from './settings-input';
import type { Settings } from './settings-queries';

interface SettingsFormProps {
  tenantId: string;
  settings: Settings;
  mayChange: boolean;
}

/** Rules for dates, sources and operators. Only changed settings are sent. */
export function SettingsForm({ tenantId, settings, mayChange }: SettingsFormProps) {
  const client = useQueryClient();
  const [input, setInput] = useState<SettingsInput>({ ...settings });
  const [error, setError] = useState<string>();
  const [isSending, setSending] = useState(false);
  const changes = changesOf(settings, input);
  const isChanged = Object.keys(changes).length > 0;
  const save = async (event: FormEvent) => {
    event.preventDefault();
    setSending(true);
    setError(undefined);
    try {
      const params = { path: { tenantId } };
      const answer = await answerOf(api.PATCH('/admin/v1/tenants/{tenantId}/settings', { params, body: changes }));
      notify(isApproval(answer) ? 'Requested. A second operator must approve it.' : 'Saved.');
      await client.invalidateQueries();
    } catch (failure) {
      setError((failure as Error).message);
    } finally {
      setSending(false);
    }
  };
  const number = (name: (typeof numbers)[number], label: string, hint: string) => (
    <TextField
      label={label}
      hint={hint}
      type="number"
      min={0}
      readOnly={!mayChange}
      value={String(input[name] ?? '')}
      onChange={(text) => setInput({ ...input, [name]: text })}
    />
  );
  return (
    <Section title="Settings">
      <form className={styles.form} onSubmit={save}>
        <FieldGroup legend="Operators">
          <CheckField
            label="Four eyes"
            hint="Releasing or applying a run, erasing a person, and changing rules or these settings wait for a second operator."
            checked={input.four_eyes}
            disabled={!mayChange}
            onChange={(four_eyes) => setInput({ ...input, four_eyes })}
          />
          <CheckField
            label="Record reads"
            hint="The audit log also has who has read data of people."
            checked={input.log_reads}
            disabled={!mayChange}
            onChange={(log_reads) => setInput({ ...input, log_reads })}
          />
          <div className={styles.fields}>
            {number('approval_hours', 'Hours to approve', 'How long a second operator can approve.')}
          </div>
        </FieldGroup>
        <FieldGroup legend="Joiners and leavers">
          <div className={styles.fields}>
            <TextField
              label="Time zone"
              hint="In which a date without a time is a day."
              spellCheck={false}
              readOnly={!mayChange}
              value={input.time_zone}
              onChange={(time_zone) => setInput({ ...input, time_zone })}
            />
            {number('start_days_before', 'Days before the first day', 'When a new person becomes active.')}
            {number('grace_days', 'Days of grace', 'How long a leaver stays inactive before the status is deleted.')}
            {number('retention_days', 'Days of retention', 'How long a deleted record can be read.')}
          </div>
        </FieldGroup>
        <FieldGroup legend="Findings">
          <div className={styles.fields}>
            {number('stale_source_hours', 'Hours until a source is stale', 'Age of its last complete read.')}
            {number(
              'unmatched_account_hours',
              'Hours until an account is unmatched',
              'Age of an account without a person.',
            )}
          </div>
        </FieldGroup>
        {error && (
          <p role="alert" className={styles.error}>
            {error}
          </p>
        )}
        {mayChange && (
          <div className={styles.actions}>
            <Button disabled={!isChanged} onClick={() => setInput({ ...settings })}>
              Discard
            </Button>
            <Button type="submit" look="primary" disabled={!isChanged || isSending}>
              {isSending ? 'Saving…' : 'Save'}
            </Button>
          </div>
        )}
      </form>
    </Section>
  );
}
