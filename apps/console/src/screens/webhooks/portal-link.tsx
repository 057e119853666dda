import { useState } from 'react';
import { Button } from '../../components/button';
import { Dialog } from '../../components/dialog';
import { SelectField } from '../../components/fields';
import { FormDialog } from '../../components/form-dialog';
import { SecretOnce } from '../../components/secret-once';
import { Time } from '../../components/time';
import { useMay } from '../../data/access';
import { call, type PortalLink } from '../../data/api';

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

/** Creates a link with which the subscriber sees this webhook in the portal. */
export function PortalLinkButton({ tenantId, webhookId }: { tenantId: string; webhookId: string }) {
  const [isAsked, setAsked] = useState(false);
  const [access, setAccess] = useState<Access>('read');
  const [seconds, setSeconds] = useState('3600');
  const [link, setLink] = useState<PortalLink>();
  if (!useMay('admin')) return null;
  const create = async () => {
    const created = await call(
      'POST /portal-links',
      { tenantId },
      { webhook_ids: [webhookId], access, expires_in: Number(seconds) },
    );
    setAsked(false);
    setLink(created);
  };
  return (
    <>
      <Button onClick={() => setAsked(true)}>Portal link…</Button>
      {isAsked && (
        <FormDialog
          title="Link for the subscriber"
          action="Create link"
          onClose={() => setAsked(false)}
          onSubmit={create}
        >
          <p>The holder of the link sees this webhook and the bodies of its deliveries, without signing in.</p>
          <SelectField
            label="The subscriber may"
            choices={accesses}
            value={access}
            onChange={(value) => setAccess(value as Access)}
          />
          <SelectField label="Valid for" choices={durations} value={seconds} onChange={setSeconds} />
        </FormDialog>
      )}
      {link && (
        <Dialog open onOpenChange={() => setLink(undefined)} title="Link for the subscriber">
          <SecretOnce label="Link" value={link.url} hint="Copy it now: it is not shown again." />
          <p>
            It expires at <Time at={link.expires_at} />.
          </p>
        </Dialog>
      )}
    </>
  );
}
