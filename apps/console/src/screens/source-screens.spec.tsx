import { describe, expect, it } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { delivery, heldPlan, heldRun, pageOf, source, webhook } from '../../test/documents';
import { type Answers, refusal, tenantId } from '../../test/fake-service';
import { renderScreen } from '../../test/render-screen';

describe('the screen of a source', () => {
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
      {
        method: 'POST',
        path: '/sync-jobs',
        query: {},
        body: { connector_id: source.id, dry_run: dryRun, mode: 'auto' },
      },
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
});

describe('the screen of a plan', () => {
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
    expect(service.sent('POST')).toMatchObject([
      { path: '/sync-jobs/job_held/release', body: { reason: 'Expected.' } },
    ]);
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
    expect(service.sent('POST')).toMatchObject([
      { path: '/sync-jobs/job_held/cancel', body: { reason: 'Incomplete.' } },
    ]);
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
});

describe('the screens of webhooks', () => {
  const path = `/webhooks/${webhook.id}`;
  const secret = 'whsec_c2VjcmV0';
  const list = <Item,>(...data: Item[]) => ({ data, limit: 50 });
  const answers: Answers = {
    'GET /webhooks/{webhookId}': webhook,
    'GET /deliveries': list(),
    'GET /replays': list(),
    'POST /webhooks/{webhookId}/test': { event_id: 'evt_1' },
    'POST /webhooks/{webhookId}/rotate-secret': { signing_secret: secret },
  };

  it('shows the signing secret of a new webhook once: its screen, which opens afterwards, does not have it', async () => {
    const { service, user } = renderScreen('/webhooks/new', {
      answers: { ...answers, 'POST /webhooks': { ...webhook, signing_secret: secret } },
    });
    const create = await screen.findByRole<HTMLButtonElement>('button', { name: 'Create webhook' });
    expect(create.disabled).toBe(true);
    await user.click(screen.getByRole('textbox', { name: 'Address' }));
    await user.paste(webhook.callback_url);
    await user.click(screen.getByRole('checkbox', { name: 'user.*' }));
    await user.click(create);
    const dialog = within(await screen.findByRole('dialog', { name: 'The webhook is created' }));
    expect(dialog.getByText(secret)).toBeDefined();
    expect(service.sent('POST')).toMatchObject([
      { path: '/webhooks', body: { callback_url: webhook.callback_url, events: ['user.*'], payload: 'full' } },
    ]);
    await user.click(dialog.getByRole('button', { name: 'Close' }));
    await screen.findByRole('heading', { name: 'receiver.example.com' });
    expect(location.pathname).toBe(`/console/${tenantId}${path}`);
    expect(screen.queryByText(secret)).toBeNull();
  });

  it('keeps what was entered when the service refuses a new webhook', async () => {
    const { user } = renderScreen('/webhooks/new', {
      answers: { 'POST /webhooks': () => refusal(400, 'callback_url must be public') },
    });
    const address = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Address' });
    await user.click(address);
    await user.paste('http://127.0.0.1/');
    await user.click(screen.getByRole('checkbox', { name: 'All events' }));
    await user.click(screen.getByRole('button', { name: 'Create webhook' }));
    await screen.findByText('callback_url must be public');
    expect(address.value).toBe('http://127.0.0.1/');
  });

  it('offers the form of a new webhook to administrators only', async () => {
    renderScreen('/webhooks/new', { role: 'operator', answers: {} });
    await screen.findByText('Only administrators create webhooks.');
    expect(screen.queryByRole('textbox')).toBeNull();
  });

  it('rotates the secret after a question, and shows the new one until its dialog is closed', async () => {
    const { service, user } = renderScreen(path, { answers });
    await user.click(await screen.findByRole('button', { name: 'Rotate secret…' }));
    const question = within(await screen.findByRole('dialog', { name: 'Rotate the signing secret' }));
    expect(service.sent('POST')).toEqual([]);
    await user.selectOptions(question.getByRole('combobox'), 'Not at all: it has leaked');
    await user.click(question.getByRole('button', { name: 'Rotate' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'The new signing secret' }));
    expect(dialog.getByText(secret)).toBeDefined();
    expect(service.sent('POST')).toMatchObject([{ path: `${path}/rotate-secret`, body: { overlap_hours: 0 } }]);
    await user.click(dialog.getByRole('button', { name: 'Close' }));
    await waitFor(() => expect(screen.queryByText(secret)).toBeNull());
  });

  it('sends a test event, and shows its delivery', async () => {
    const { service, user } = renderScreen(path, {
      role: 'operator',
      answers: { ...answers, 'GET /deliveries': () => (service.sent('POST').length > 0 ? list(delivery) : list()) },
    });
    await user.click(await screen.findByRole('button', { name: 'Send test event' }));
    await screen.findByText('A test event is on its way. Its delivery is the newest of the list.');
    await screen.findByRole('link', { name: 'webhook.test' });
    expect(service.sent('POST')).toMatchObject([{ path: `${path}/test`, body: { message: 'This is a test.' } }]);
  });

  it('sends dead deliveries again only after a confirmation', async () => {
    const { service, user } = renderScreen(path, {
      role: 'operator',
      answers: {
        ...answers,
        'GET /webhooks/{webhookId}': { ...webhook, dead: { count: 3, exact: true } },
        'POST /webhooks/{webhookId}/requeue': { replay_id: 'rpl_1' } as never,
      },
    });
    await user.click(await screen.findByRole('button', { name: 'Requeue dead…' }));
    const dialog = within(await screen.findByRole('alertdialog', { name: 'Send all dead deliveries again?' }));
    expect(service.sent('POST')).toEqual([]);
    await user.click(dialog.getByRole('button', { name: 'Requeue' }));
    await screen.findByText('Dead deliveries are sent again.');
    expect(service.sent('POST')).toMatchObject([{ path: `${path}/requeue` }]);
  });

  it.each([
    { role: 'viewer', shown: [] },
    { role: 'operator', shown: ['Replay…', 'Send test event'] },
    {
      role: 'admin',
      shown: ['Deactivate…', 'Delete…', 'Portal link…', 'Replay…', 'Rotate secret…', 'Send test event'],
    },
  ] as const)('offers the role $role these actions: $shown', async ({ role, shown }) => {
    renderScreen(path, { role, answers });
    const main = within(await screen.findByRole('main'));
    await main.findByRole('heading', { name: 'receiver.example.com' });
    const names = main.getAllByRole('button').map(({ textContent }) => textContent ?? '');
    expect(names.filter((name) => name.endsWith('…') || name === 'Send test event').sort()).toEqual(shown);
  });
});
