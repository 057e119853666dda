import { expect, it } from '@jest/globals';
import { screen } from '@testing-library/react';
import { heldRun, pageOf, source } from '../../../test/documents';
import { type Answers, refusal, tenantId } from '../../../test/fake-service';
import { renderScreen } from '../../../test/render-screen';

const path = `/sources/${source.id}`;
const started = { ...heldRun, job_id: 'job_new', status: 'completed' as const };
const answers: Answers = {
  'GET /connectors/{connectorId}': source,
  'GET /connectors/{connectorId}/errors': pageOf(),
  'GET /sync-jobs': pageOf(),
  'GET /approvals': pageOf(),
  'POST /sync-jobs': { job_id: started.job_id, status: 'queued' },
  // The screen of the run that is opened.
  'GET /connectors': pageOf(source),
  'GET /sync-jobs/{jobId}': started,
};

it.each([
  { button: 'Run now', dryRun: false },
  { button: 'Dry run', dryRun: true },
])('starts a run by “$button” with dry_run $dryRun, and opens it', async ({ button, dryRun }) => {
  const { service, user } = renderScreen(path, { role: 'operator', answers });
  await user.click(await screen.findByRole('button', { name: button }));
  await screen.findByRole('heading', { name: 'Run of HR' });
  expect(location.pathname).toBe(`/console/${tenantId}/runs/job_new`);
  expect(service.sent('POST')).toEqual([
    { method: 'POST', path: '/sync-jobs', query: {}, body: { connector_id: source.id, dry_run: dryRun, mode: 'auto' } },
  ]);
});

it('stays on the source and shows the reason when a run is refused', async () => {
  const { user } = renderScreen(path, {
    answers: { ...answers, 'POST /sync-jobs': () => refusal(409, 'a run of this source is held') },
  });
  await user.click(await screen.findByRole('button', { name: 'Run now' }));
  await screen.findByText('a run of this source is held');
  expect(location.pathname).toBe(`/console/${tenantId}${path}`);
});

it.each([
  { role: 'viewer', shown: [] },
  { role: 'auditor', shown: [] },
  { role: 'operator', shown: ['Dry run', 'Run now'] },
  { role: 'admin', shown: ['Continue set-up', 'Dry run', 'Run now'] },
] as const)('offers the role $role these actions: $shown', async ({ role, shown }) => {
  renderScreen(path, { role, answers });
  await screen.findByRole('heading', { name: source.name });
  const names = ['Continue set-up', 'Dry run', 'Run now'];
  const present = names.filter((name) => screen.queryByText(name) !== null);
  expect(present).toEqual(shown);
});

it('shows which records fail and why', async () => {
  const failing = {
    message: 'email is no address',
    external_id: 'A-12',
    first_failed_at: source.created_at,
    last_failed_at: source.created_at,
    job_id: started.job_id,
    retries: 0,
  };
  renderScreen(path, {
    role: 'viewer',
    answers: { ...answers, 'GET /connectors/{connectorId}/errors': pageOf(failing) },
  });
  await screen.findByRole('cell', { name: 'A-12' });
  expect(screen.getByRole('cell', { name: 'email is no address' })).toBeDefined();
});
