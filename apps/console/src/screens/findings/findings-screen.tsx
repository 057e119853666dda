import { findingKinds, findingStates } from '@idsync/contracts/fixed-values';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { Column } from '../../components/data-table';
import { ConfirmButton } from '../../components/dialog';
import { choicesOf } from '../../components/fields';
import { subjectPath } from '../../components/id-targets';
import { TenantLink } from '../../components/links';
import { ListScreen } from '../../components/list-screen';
import { shownValue, wordsOf } from '../../components/words';
import { type Answer, call, useFilters, useTenantId } from '../../data/api';
import { cursorPages, liveByEvents } from '../../data/query-client';
import type { FindingsSearch } from '../../data/searches';
import { useMay } from '../../data/session';

const findingsQuery = (tenantId: string, { kind, state = 'open', subject }: FindingsSearch) => ({
  ...cursorPages(['findings', tenantId, { kind, state, subject }], (cursor) =>
    call('GET /findings', { tenantId }, { kind, state, subject, limit: 50, cursor }),
  ),
  ...liveByEvents,
});

type Finding = Answer<'GET /findings'>['data'][number];

const columns: readonly Column<Finding>[] = [
  { header: 'Finding', width: 'minmax(0, 1.6fr)', cell: ({ kind }) => wordsOf(kind) },
  {
    header: 'About',
    width: 'minmax(0, 1.2fr)',
    cell: ({ identity_id, name, subject_id }) => (
      <TenantLink path={subjectPath(subject_id, identity_id)}>
        <span dir="auto">{name ?? subject_id}</span>
      </TenantLink>
    ),
  },
  {
    header: 'Evidence',
    width: 'minmax(0, 2.4fr)',
    from: 'wide',
    cell: ({ evidence }) =>
      Object.entries(evidence)
        .map(([name, value]) => `${name.replaceAll('_', ' ')}: ${shownValue(value)}`)
        .join(' · '),
  },
  { header: 'State', as: 'status', width: '90px', from: 'medium', cell: 'state' },
  { header: 'Opened', as: 'ago', from: 'small', cell: 'opened_at' },
];

export function FindingsScreen() {
  const tenantId = useTenantId();
  const [{ kind, state = 'open', subject }] = useFilters<FindingsSearch>();
  const decision: Column<Finding> = {
    header: 'Decision',
    width: '100px',
    align: 'end',
    cell: (finding) => finding.state === 'open' && <AcceptButton finding={finding} />,
  };
  return (
    <ListScreen<Finding, FindingsSearch>
      title="Findings"
      description="What looks wrong in the directory. A finding closes by itself when its cause is gone."
      api="/findings"
      parameters={{ kind, state, subject }}
      cli={`idsync findings list --state ${state}${kind ? ` --kind ${kind}` : ''}`}
      filters={[
        { of: 'kind', label: 'Kind', choices: choicesOf(findingKinds) },
        { of: 'state', label: 'State', choices: choicesOf(findingStates), otherwise: 'open' },
        { of: 'subject', label: 'Id of the subject', placeholder: 'About: any id', narrow: true },
      ]}
      columns={useMay('operator') ? [...columns, decision] : columns}
      query={useInfiniteQuery(findingsQuery(tenantId, { kind, state, subject }))}
      noMatch={{ title: 'No finding matches' }}
      nothing={{ title: 'Nothing found', text: 'The directory is checked after every run and every hour.' }}
    />
  );
}

function AcceptButton({ finding: { id, kind } }: { finding: Finding }) {
  const tenantId = useTenantId();
  return (
    <ConfirmButton
      label="Accept…"
      small
      title={`Accept “${wordsOf(kind)}”?`}
      action="Accept"
      reason="required"
      refresh={['findings', tenantId]}
      onConfirm={(reason = '') =>
        call('POST /findings/{findingId}/accept', { tenantId, findingId: id }, { reason, by: 'operator' })
      }
    >
      <p>It is no longer listed as open. You can open it again at any time.</p>
    </ConfirmButton>
  );
}
