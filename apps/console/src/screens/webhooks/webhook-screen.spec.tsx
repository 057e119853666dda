import { expect, it } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { delivery, webhook } from '../../../test/documents';
import { type Answers, refusal, tenantId } from '../../../test/fake-service';
import { renderScreen } from '../../../test/render-screen';

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
  { role: 'admin', shown: ['Deactivate…', 'Delete…', 'Portal link…', 'Replay…', 'Rotate secret…', 'Send test event'] },
] as const)('offers the role $role these actions: $shown', async ({ role, shown }) => {
  renderScreen(path, { role, answers });
  const main = within(await screen.findByRole('main'));
  await main.findByRole('heading', { name: 'receiver.example.com' });
  const names = main.getAllByRole('button').map(({ textContent }) => textContent ?? '');
  expect(names.filter((name) => name.endsWith('…') || name === 'Send test event').sort()).toEqual(shown);
});
