import { expect, it } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { pageOf, reviewCase, source } from '../../../test/documents';
import type { Answers } from '../../../test/fake-service';
import { renderScreen } from '../../../test/render-screen';

const operation = {
  operation_id: 'opr_1',
  type: 'resolve_case',
  status: 'done' as const,
  created_at: reviewCase.opened_at,
};
const answers: Answers = {
  'GET /connectors': pageOf(source),
  'GET /cases': pageOf(reviewCase),
  'GET /cases/{caseId}': {
    ...reviewCase,
    candidates: [
      {
        identity_id: 'idn_2',
        display_name: 'Zoe Muller',
        score: 1,
        evidence: [],
        compared: [
          { field: 'email', value: 'zoe@example.com', other: 'zoe@example.com', agrees: true },
          { field: 'last_name', value: 'Müller', other: 'Muller', agrees: false },
          { field: 'job_title', other: 'Clerk' },
        ],
      },
    ],
  },
  'POST /cases/{caseId}/resolve': operation,
  'POST /operations/{operationId}/revert': operation,
};

it('compares the values of the record with those of each candidate', async () => {
  renderScreen('/cases', { answers });
  const table = within(await screen.findByRole('region', { name: 'Record and candidates' }));
  const row = async (name: string) => (await table.findByRole('row', { name: new RegExp(`^${name}`) })).textContent;
  expect(await row('email')).toBe('emailzoe@example.comzoe@example.com = same');
  expect(await row('last_name')).toBe('last_nameMüllerMuller ≠ differs');
  expect(await row('job_title')).toBe('job_title—Clerk');
});

it.each([
  { button: /^Same as Zoe Muller/, key: '1', body: { resolution: 'link', identity_id: 'idn_2' }, done: 'Linked' },
  { button: /^Keep apart/, key: 'n', body: { resolution: 'new' }, done: 'Kept apart' },
  { button: /^Ignore/, key: 'i', body: { resolution: 'ignore' }, done: 'Ignored' },
])('decides a case as $body.resolution by its button and by the key $key', async ({ button, key, body, done }) => {
  const { service, user } = renderScreen('/cases', { role: 'operator', answers });
  await user.click(await screen.findByRole('button', { name: button }));
  await screen.findByText(`${done}. Press u to undo.`);
  await screen.findByRole('button', { name: button });
  await user.keyboard(key);
  await waitFor(() => expect(service.sent('POST')).toHaveLength(2));
  const sent = { path: '/cases/cas_1/resolve', body };
  expect(service.sent('POST')).toMatchObject([sent, sent]);
});

it('reports whose access a decision has changed', async () => {
  const change = (at: number) => ({ identity_id: `idn_${at}`, name: `Ann ${at}`, from: 'active', to: 'inactive' });
  const result = { access_changes: [1, 2, 3, 4].map(change), access_changes_total: 5 };
  const { user } = renderScreen('/cases', {
    answers: { ...answers, 'POST /cases/{caseId}/resolve': { ...operation, result } },
  });
  await user.click(await screen.findByRole('button', { name: /^Keep apart/ }));
  await screen.findByText(/^Access changed: Ann 1: active → inactive, Ann 2: .*, Ann 3: .*, and 2 more\.$/);
});

it('undoes the last decision by the key u', async () => {
  const { service, user } = renderScreen('/cases', { role: 'operator', answers });
  await user.click(await screen.findByRole('button', { name: /^Keep apart/ }));
  await screen.findByRole('button', { name: /^Undo/ });
  await user.keyboard('u');
  await screen.findByText('Undone. The case is open again.');
  expect(service.sent('POST').map(({ path }) => path)).toEqual(['/cases/cas_1/resolve', '/operations/opr_1/revert']);
});

it('shows the reason when the directory refuses the decision, and offers no undo', async () => {
  const refused = { ...operation, status: 'refused' as const, result: { error: 'the case is closed' } };
  const { user } = renderScreen('/cases', { answers: { ...answers, 'POST /cases/{caseId}/resolve': refused } });
  await user.click(await screen.findByRole('button', { name: /^Keep apart/ }));
  await screen.findByText('the case is closed');
  expect(screen.queryByRole('button', { name: /^Undo/ })).toBeNull();
});

it('lets a viewer read a case but not decide it, by button or key', async () => {
  const { service, user } = renderScreen('/cases', { role: 'viewer', answers });
  await screen.findByRole('row', { name: /^email/ });
  expect(screen.queryByRole('button', { name: /Same as|Keep apart|Ignore/ })).toBeNull();
  await user.keyboard('1ni');
  expect(service.sent('POST')).toEqual([]);
});

it('says that no case is open when the list is empty', async () => {
  renderScreen('/cases', { answers: { ...answers, 'GET /cases': pageOf() } });
  await screen.findByText('No case is open');
});
