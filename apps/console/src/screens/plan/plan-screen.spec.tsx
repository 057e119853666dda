import { expect, it } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import { heldPlan, heldRun, pageOf, source } from '../../../test/documents';
import { type Answers, refusal } from '../../../test/fake-service';
import { renderScreen } from '../../../test/render-screen';

const path = `/runs/${heldRun.job_id}/plan`;
const answers: Answers = {
  'GET /connectors': pageOf(source),
  'GET /sync-jobs/{jobId}': heldRun,
  'GET /sync-jobs/{jobId}/plan': heldPlan,
  'GET /approvals': pageOf(),
  'GET /sync-jobs': pageOf(),
  'POST /sync-jobs/{jobId}/release': { job_id: heldRun.job_id, status: 'queued' },
  'POST /sync-jobs/{jobId}/cancel': { job_id: heldRun.job_id, status: 'cancelled' },
};

it('releases a held run only after a confirmation with what is applied and a reason', async () => {
  const { service, user } = renderScreen(path, { role: 'operator', answers });
  await user.click(await screen.findByRole('button', { name: 'Release…' }));
  const dialog = within(await screen.findByRole('alertdialog', { name: 'Release the run of HR?' }));
  expect(dialog.getByText(/Records: 2 added, 40 deleted\./)).toBeDefined();
  const release = dialog.getByRole<HTMLButtonElement>('button', { name: 'Release' });
  expect(release.disabled).toBe(true);
  await user.type(dialog.getByRole('textbox', { name: 'Reason' }), 'Expected.');
  expect(service.sent('POST')).toEqual([]);
  await user.click(release);
  await screen.findByText('Released. The plan is applied now.');
  expect(service.sent('POST')).toMatchObject([{ path: '/sync-jobs/job_held/release', body: { reason: 'Expected.' } }]);
  expect(screen.queryByRole('alertdialog')).toBeNull();
});

it('reports a release that a second operator must approve as requested, not as released', async () => {
  const approval = {
    approval_id: 'apr_1',
    status: 'pending' as const,
    action: 'releaseSyncJob',
    role: 'operator',
    request: {},
    requested_by: 'olga',
    requested_at: heldRun.created_at,
    expires_at: heldRun.created_at,
  };
  const { user } = renderScreen(path, { answers: { ...answers, 'POST /sync-jobs/{jobId}/release': approval } });
  await user.click(await screen.findByRole('button', { name: 'Release…' }));
  await user.type(await screen.findByRole('textbox', { name: 'Reason' }), 'Checked.');
  await user.click(screen.getByRole('button', { name: 'Release' }));
  await screen.findByText('Requested. A second operator must approve it.');
});

it('cancels a held run only after a confirmation', async () => {
  const { service, user } = renderScreen(path, { role: 'operator', answers });
  await user.click(await screen.findByRole('button', { name: 'Cancel the run…' }));
  const dialog = within(await screen.findByRole('alertdialog', { name: 'Cancel the run of HR?' }));
  expect(dialog.getByText(/Nothing of the plan is applied/)).toBeDefined();
  await user.type(dialog.getByRole('textbox', { name: 'Reason' }), 'Incomplete.');
  expect(service.sent('POST')).toEqual([]);
  await user.click(dialog.getByRole('button', { name: 'Cancel the run' }));
  await screen.findByText('Cancelled. The plan is not applied.');
  expect(service.sent('POST')).toMatchObject([{ path: '/sync-jobs/job_held/cancel', body: { reason: 'Incomplete.' } }]);
});

it('sends nothing when the confirmation is closed without a decision', async () => {
  const { service, user } = renderScreen(path, { role: 'operator', answers });
  await user.click(await screen.findByRole('button', { name: 'Release…' }));
  await user.type(await screen.findByRole('textbox', { name: 'Reason' }), 'Checked.');
  await user.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(screen.queryByRole('alertdialog')).toBeNull();
  expect(service.sent('POST')).toEqual([]);
});

it('keeps the confirmation and its reason when the release is refused', async () => {
  const { user } = renderScreen(path, {
    role: 'operator',
    answers: { ...answers, 'POST /sync-jobs/{jobId}/release': () => refusal(409, 'the run is not held') },
  });
  await user.click(await screen.findByRole('button', { name: 'Release…' }));
  await user.type(await screen.findByRole('textbox', { name: 'Reason' }), 'Checked.');
  await user.click(screen.getByRole('button', { name: 'Release' }));
  await screen.findByText('the run is not held');
  expect(screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Reason' }).value).toBe('Checked.');
});

it.each(['viewer', 'auditor'] as const)(
  'shows the plan of a held run without decisions to the role %s',
  async (role) => {
    renderScreen(path, { role, answers });
    await screen.findByRole('heading', { name: 'A run of HR is held' });
    await screen.findByRole('list', { name: 'Changes' });
    expect(screen.queryByRole('button', { name: /Release|Cancel the run|Apply/ })).toBeNull();
  },
);
