import { useState } from 'react';
import { SelectField } from '../../components/fields';
import { FormButton } from '../../components/form-dialog';
import { Time } from '../../components/time';
import { useMay } from '../../data/access';
import { call, type PortalLink } from '../../data/api';
import { useTenantId } from '../../data/use-tenant';

type Access = PortalLink['access'];

const accesses: readonly { value: Access; label: string }[] = [
  { value: 'read', label: 'See health, deliveries and attempts' },
  { value: 'send', label: 'Also test, resend and requeue' },
  { value: 'change', label: 'Also change settings and the signing secret' },
];
const durations = [
  { value: '3600', label: '1 hour' },
  { value: '28800', label: '8 hours' },
  { value: '86400', label: '24 hours' },
];
const title = 'Link for the subscriber';

/** Creates a link with which the subscriber sees this webhook in the portal. */
export function PortalLinkButton({ webhookId }: { webhookId: string }) {
  const tenantId = useTenantId();
  const [access, setAccess] = useState<Access>('read');
  const [seconds, setSeconds] = useState('3600');
  if (!useMay('admin')) return null;
  const create = async () => {
    const body = { webhook_ids: [webhookId], access, expires_in: Number(seconds) };
    const { url, expires_at } = await call('POST /portal-links', { tenantId }, body);
    return {
      title,
      secrets: [{ label: 'Link', value: url, hint: 'Copy it now: it is not shown again.' }],
      children: (
        <p>
          It expires at <Time at={expires_at} />.
        </p>
      ),
    };
  };
  return (
    <FormButton label="Portal link…" title={title} action="Create link" onSubmit={create}>
      <p>The holder of the link sees this webhook and the bodies of its deliveries, without signing in.</p>
      <SelectField
        label="The subscriber may"
        choices={accesses}
        value={access}
        onChange={(value) => setAccess(value as Access)}
      />
      <SelectField label="Valid for" choices={durations} value={seconds} onChange={setSeconds} />
    </FormButton>
  );
}
