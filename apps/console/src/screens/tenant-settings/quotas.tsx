import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Button } from '../../components/button';
import { TextField } from '../../components/fields';
import { formatCount } from '../../components/format-time';
import { notify } from '../../components/notices';
import { Section } from '../../components/page';
import { answerOf, api, type QuotaUsage } from '../../data/api';
import { limitsOf, type QuotaName, quotaNames } from './quota-input';
import styles from './settings.module.css';

const labels: Record<QuotaName, string> = {
  people: 'People',
  connectors: 'Sources',
  webhooks: 'Webhooks',
  requests_per_minute: 'Requests in a minute',
  deliveries_per_hour: 'Deliveries in an hour',
};

interface QuotasProps {
  tenantId: string;
  usage: QuotaUsage;
  mayChange: boolean;
}

/** Limits of the tenant, and how much of them is used. Only operators of all tenants change them. */
export function Quotas({ tenantId, usage, mayChange }: QuotasProps) {
  const client = useQueryClient();
  const stored = Object.fromEntries(quotaNames.map((name) => [name, String(usage[name].limit ?? '')]));
  const [input, setInput] = useState<Partial<Record<QuotaName, string>>>(stored);
  const [error, setError] = useState<string>();
  const isChanged = quotaNames.some((name) => input[name] !== stored[name]);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    setError(undefined);
    try {
      const params = { path: { tenantId } };
      await answerOf(api.PUT('/admin/v1/tenants/{tenantId}/quotas', { params, body: limitsOf(input) }));
      notify('Saved.');
      await client.invalidateQueries({ queryKey: ['quotas', tenantId] });
    } catch (failure) {
      setError((failure as Error).message);
    }
  };
  return (
    <Section title="Quotas">
      <form className={styles.form} onSubmit={save}>
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
              onChange={(text) => setInput({ ...input, [name]: text })}
            />
          ))}
        </div>
        {error && (
          <p role="alert" className={styles.error}>
            {error}
          </p>
        )}
        {mayChange && (
          <div className={styles.actions}>
            <Button disabled={!isChanged} onClick={() => setInput(stored)}>
              Discard
            </Button>
            <Button type="submit" look="primary" disabled={!isChanged}>
              Save quotas
            </Button>
          </div>
        )}
      </form>
    </Section>
  );
}
