import { expect, it } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import { pageOf, source } from '../../../test/documents';
import type { Answers } from '../../../test/fake-service';
import { renderScreen } from '../../../test/render-screen';

const operation = { operation_id: 'opn_1', type: 'attributes.rank', created_at: '2026-11-29T08:00:00.000Z' };
const access_changes = Array.from({ length: 12 }, (_, at) => ({
  identity_id: `idn_${at}`,
  name: `Ann ${at}`,
  from: 'active',
  to: 'inactive',
}));
const held = {
  ...operation,
  status: 'held' as const,
  result: { held: 'take access from 40 of 60 people', access_changes, access_changes_total: 40 },
};
const answers: Answers = {
  'GET /connectors': pageOf(source),
  'GET /approvals': pageOf(),
  'GET /matching-rules': { certain: [], weak: [], keys: [], stop_values: [], several_employments: 'primary' },
  'GET /attribute-priorities': { priorities: [{ field: 'status', connector_id: source.id, priority: 5 }] },
  'PUT /attribute-priorities': held,
  'POST /operations/{operationId}/confirm': { ...operation, status: 'done' },
};

async function change() {
  const rendered = renderScreen('/rules?view=precedence', { answers });
  const { user } = rendered;
  await user.click(await screen.findByRole('button', { name: 'Remove status' }));
  await user.click(screen.getByRole('button', { name: 'Apply…' }));
  await user.click(await screen.findByRole('button', { name: 'Apply' }));
  const dialog = within(await screen.findByRole('alertdialog', { name: 'The access of 40 people would change' }));
  return { ...rendered, dialog };
}

it('shows whose access would change by a change that is held, and performs it for a reason', async () => {
  const { user, service, dialog } = await change();
  expect(dialog.getByText(/take access from 40 of 60 people/)).toBeTruthy();
  const listed = within(dialog.getByRole('list', { name: 'People whose access would change' })).getAllByRole(
    'listitem',
  );
  expect(listed).toHaveLength(10);
  expect(listed[0]?.textContent).toContain('Ann 0');
  expect(dialog.getByText(/and 30 more/)).toBeTruthy();
  await user.type(dialog.getByLabelText('Reason'), 'they left');
  await user.click(dialog.getByRole('button', { name: 'Confirm' }));
  await screen.findByText('The source precedence was changed.');
  expect(service.sent('POST')).toMatchObject([{ path: '/operations/opn_1/confirm', body: { reason: 'they left' } }]);
});

it('changes nothing if the operator does not confirm it', async () => {
  const { user, service, dialog } = await change();
  await user.click(dialog.getByRole('button', { name: 'Cancel' }));
  await screen.findByText('Nothing was changed, because it was not confirmed.');
  expect(service.sent('POST')).toEqual([]);
});
