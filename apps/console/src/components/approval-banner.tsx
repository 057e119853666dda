import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay, useSession } from '../data/access';
import { type Approval, call } from '../data/api';
import { pendingApprovalsQuery } from '../data/approvals';
import { changeDone } from '../data/operations';
import type { Role } from '../data/session';
import styles from './approval-banner.module.css';
import { Button } from './button';
import { ConfirmDialog } from './confirm-dialog';
import { Icon } from './icon';
import { notify } from './notices';
import { wordsOf } from './status';
import { Ago } from './time';

/** Acts on a resource, or changes of settings, that wait for a second operator, who approves or rejects them here. */
export function ApprovalBanner({
  tenantId,
  ...shown
}: { tenantId: string } & ({ resource: string } | { actions: readonly string[] })) {
  const { data } = useQuery(pendingApprovalsQuery(tenantId));
  return (data?.data ?? [])
    .filter(({ resource, action }) =>
      'actions' in shown ? shown.actions.includes(action) : shown.resource === resource,
    )
    .map((approval) => <Pending key={approval.approval_id} tenantId={tenantId} approval={approval} />);
}

function Pending({ tenantId, approval }: { tenantId: string; approval: Approval }) {
  const [asked, setAsked] = useState<'approve' | 'reject'>();
  const { actor } = useSession();
  const mayDecide = useMay(approval.role as Role);
  const client = useQueryClient();
  const isOwn = approval.requested_by === actor.name;
  const act = wordsOf(approval.action.replaceAll(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`));
  const decide = async (reason: string | undefined) => {
    const ids = { tenantId, approvalId: approval.approval_id };
    const body = reason ? { reason } : {};
    if (asked === 'approve') {
      const { operation_id } = await call('POST /approvals/{approvalId}/approve', ids, body);
      await changeDone(tenantId, { operation_id });
    } else await call('POST /approvals/{approvalId}/reject', ids, body);
    notify(asked === 'approve' ? 'Approved' : isOwn ? 'Withdrawn' : 'Rejected');
    await client.invalidateQueries();
  };
  return (
    <div className={styles.banner}>
      <Icon name="access" />
      <p className={styles.text}>
        <strong>{act}</strong> waits for a second operator. <span dir="auto">{approval.requested_by}</span> requested it{' '}
        <Ago at={approval.requested_at} />
        {approval.reason && <span dir="auto">: “{approval.reason}”</span>}
      </p>
      {mayDecide && (
        <div className={styles.actions}>
          <Button small onClick={() => setAsked('reject')}>
            {isOwn ? 'Withdraw' : 'Reject'}
          </Button>
          {!isOwn && (
            <Button small look="primary" onClick={() => setAsked('approve')}>
              Approve
            </Button>
          )}
        </div>
      )}
      <ConfirmDialog
        open={asked !== undefined}
        onOpenChange={(open) => !open && setAsked(undefined)}
        title={asked === 'approve' ? `Approve: ${act}?` : isOwn ? 'Withdraw the request?' : `Reject: ${act}?`}
        action={asked === 'approve' ? 'Approve and perform' : isOwn ? 'Withdraw' : 'Reject'}
        reason="optional"
        onConfirm={decide}
      >
        {asked === 'approve' ? 'It is performed at once, exactly as it was requested.' : 'Nothing is changed.'}
      </ConfirmDialog>
    </div>
  );
}
