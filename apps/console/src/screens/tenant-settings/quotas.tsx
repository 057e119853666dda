import { useQueryClient } from '@tanstack/react-query';
import { TextField } from '../../components/fields';
import { formatCount } from '../../components/format-time';
import { notify } from '../../components/notices';
import { call, type QuotaUsage } from '../../data/api';
import { useTenantId } from '../../data/use-tenant';
import { isChangedQuota, limitsOf, type QuotaInput, type QuotaName, quotaInputOf, quotaNames } from './quota-input';
import { SectionForm } from './section-form';
import styles from './settings.module.css';

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
