import type { responses } from '@idsync/contracts';
import type { CliCommand } from '../cli-command.js';
import { confirm } from '../confirm.js';
import { printReplay, type ReplayOptions, replayExitCodes, withReplayOptions } from '../replay-outcome.js';
import type { Session } from '../session.js';
import { wholeNumber } from '../whole-number.js';
import { addListenCommand } from './listen.js';
import { addPortalCommands } from './portal-links.js';
import { addWebhookChanges } from './webhook-changes.js';

const replayHelp = `
A replay covers the event types that the webhook subscribes to now. Events keep their ids, so the receiver can
recognize duplicates.

Example:
  $ idsync webhooks replay whk_… --since 2026-01-31T12:00:00Z --until 2026-01-31T14:00:00Z --watch
  $ idsync webhooks replay whk_… --since 2026-01-31T12:00:00Z --events 'user.*,identity.created'
${replayExitCodes}`;

const rotateHelp = `
Without --overlap-hours, the earlier secrets stay valid for another 24 hours.

Example for a leaked secret:
  $ idsync webhooks rotate-secret whk_… --overlap-hours 0`;

interface RotateOptions {
  overlapHours?: number;
  yes?: boolean;
}

interface WindowOptions extends ReplayOptions {
  since: string;
  until?: string;
  events?: string;
}

export function addWebhookCommands(program: CliCommand): void {
  const webhooks = program.add('webhooks', 'create, change, monitor and test webhooks, and replay their deliveries');

  webhooks
    .add('list', 'list the webhooks of the tenant, with their pending and dead deliveries', '')
    .does(async (session) => {
      const list = await session.client.call('GET /webhooks', {});
      session.printList(list, [
        'id',
        ['url', 'callback_url'],
        ['active', (each) => (each.active ? 'yes' : 'no')],
        ['pending', (each) => counted(each.pending)],
        ['dead', (each) => counted(each.dead)],
        ['breaker', (each) => each.breaker.state],
        'failures',
        'last_success_at',
      ]);
    });

  webhooks
    .add('show <webhook>', 'show a webhook and its statistics of the last 24 hours', 'whk_…')
    .does(async (session, id: string) => {
      const webhook = await session.client.call('GET /webhooks/{webhookId}', id);
      session.show(webhook, () => print(session, webhook));
    });

  addWebhookChanges(webhooks);

  webhooks
    .add('test <webhook>', 'send a test event to a webhook, regardless of its subscribed events')
    .option('--message <text>', 'message of the event')
    .addHelpText('after', '\nTo see the result: idsync deliveries list --webhook whk_… --event webhook.test')
    .example('whk_…')
    .does(async (session, id: string, { message }: { message?: string }) => {
      session.printOne(await session.client.call('POST /webhooks/{webhookId}/test', id, { message }));
    });

  webhooks
    .add('rotate-secret <webhook>', 'replace the signing secret of a webhook and print the new one once')
    .option('--overlap-hours <hours>', 'how long the earlier secrets stay valid; 0 revokes them at once', wholeNumber)
    .option('--yes', 'skip the confirmation')
    .addHelpText('after', rotateHelp)
    .does(async (session, id: string, { overlapHours, yes }: RotateOptions) => {
      const question = `Revoke all earlier secrets of ${id} now? The receiver rejects all deliveries until it has the new secret.`;
      if (overlapHours === 0 && !yes) await confirm(session.io, question);
      const body = { overlap_hours: overlapHours };
      session.printOne(await session.client.call('POST /webhooks/{webhookId}/rotate-secret', id, body));
      session.note('store the secret now: it is not shown again');
    });

  addListenCommand(webhooks);
  addPortalCommands(webhooks);

  withReplayOptions(webhooks.add('requeue <webhook>', 'send all dead deliveries again'))
    .addHelpText('after', `\nExample:\n  $ idsync webhooks requeue whk_… --watch\n${replayExitCodes}`)
    .does(async (session, id: string, { by, ...options }: ReplayOptions) => {
      await printReplay(session, await session.client.call('POST /webhooks/{webhookId}/requeue', id, { by }), options);
    });

  withReplayOptions(
    webhooks.add('replay <webhook>', 'send all events of a time range, whether they were sent before or not'),
  )
    .requiredOption('--since <time>', 'events that occurred at or after this time')
    .option('--until <time>', 'events that occurred before this time')
    .option('--events <types>', 'only these event types or prefixes, comma-separated')
    .addHelpText('after', replayHelp)
    .does(async (session, id: string, { since, until, events, by, ...options }: WindowOptions) => {
      const body = { since, until, events: events?.split(',').map((name) => name.trim()), by };
      await printReplay(session, await session.client.call('POST /webhooks/{webhookId}/replay', id, body), options);
    });
}

/** A plus sign marks a count that stopped at its limit. */
function counted({ count, exact }: responses.WebhookHealth['pending']): string {
  return `${count}${exact ? '' : '+'}`;
}

function print(session: Session, webhook: responses.WebhookDetails): void {
  const { pending, dead, breaker, statistics, ...rest } = webhook;
  const { since, attempts, success_rate: rate, duration_ms: duration, outcomes } = statistics;
  session.printOne({
    ...rest,
    pending: counted(pending),
    dead: counted(dead),
    breaker: breaker.state === 'open' ? `open until ${breaker.open_until}` : breaker.state,
    [`attempts since ${since}`]: attempts,
    'success rate': rate === undefined ? undefined : `${Math.floor(rate * 1_000) / 10} %`,
    duration: duration && `p50 ${duration.p50} ms, p99 ${duration.p99} ms`,
    outcomes: Object.entries(outcomes).map(([outcome, count]) => `${outcome} ${count}`),
  });
}
