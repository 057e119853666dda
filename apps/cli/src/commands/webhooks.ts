import type { responses } from '@idsync/contracts';
import type { Command } from 'commander';
import { type List, pathOf } from '../admin-client.js';
import { confirm } from '../confirm.js';
import { type ReplayOptions, replayExitCodes, requestReplay, withReplayOptions } from '../replay-outcome.js';
import { type CliContext, Session } from '../session.js';
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

export function addWebhookCommands(program: Command, io: CliContext, exit: (code: number) => void): void {
  const webhooks = program
    .command('webhooks')
    .description('create, change, monitor and test webhooks, and replay their deliveries');

  webhooks
    .command('list')
    .description('list the webhooks of the tenant, with their pending and dead deliveries')
    .addHelpText('after', '\nExample:\n  $ idsync webhooks list')
    .action(async (_options: object, command: Command) => {
      const session = await Session.of(command, io);
      const list = await session.client.get<List<responses.WebhookHealth>>(
        pathOf('tenants', session.tenant, 'webhooks'),
      );
      session.printList(
        list,
        ['id', 'url', 'active', 'pending', 'dead', 'breaker', 'failures', 'last success'],
        (each) => [
          each.id,
          each.callback_url,
          each.active ? 'yes' : 'no',
          counted(each.pending),
          counted(each.dead),
          each.breaker.state,
          each.failures,
          each.last_success_at,
        ],
      );
    });

  webhooks
    .command('show')
    .description('show a webhook and its statistics of the last 24 hours')
    .argument('<webhook>', 'id of the webhook')
    .addHelpText('after', '\nExample:\n  $ idsync webhooks show whk_…')
    .action(async (id: string, _options: object, command: Command) => {
      const session = await Session.of(command, io);
      print(
        session,
        await session.client.get<responses.WebhookDetails>(pathOf('tenants', session.tenant, 'webhooks', id)),
      );
    });

  addWebhookChanges(webhooks, io);

  webhooks
    .command('test')
    .description('send a test event to a webhook, regardless of its subscribed events')
    .argument('<webhook>', 'id of the webhook')
    .option('--message <text>', 'message of the event')
    .addHelpText(
      'after',
      '\nTo see the result: idsync deliveries list --webhook whk_… --event webhook.test\n\nExample:\n  $ idsync webhooks test whk_…',
    )
    .action(async (id: string, { message }: { message?: string }, command: Command) => {
      const session = await Session.of(command, io);
      const path = pathOf('tenants', session.tenant, 'webhooks', id, 'test');
      session.printOne(await session.client.post<responses.TestEvent>(path, { message }));
    });

  webhooks
    .command('rotate-secret')
    .description('replace the signing secret of a webhook and print the new one once')
    .argument('<webhook>', 'id of the webhook')
    .option('--overlap-hours <hours>', 'how long the earlier secrets stay valid; 0 revokes them at once', wholeNumber)
    .option('--yes', 'skip the confirmation')
    .addHelpText('after', rotateHelp)
    .action(async (id: string, { overlapHours, yes }: RotateOptions, command: Command) => {
      const session = await Session.of(command, io);
      if (overlapHours === 0 && !yes) {
        await confirm(
          io,
          `Revoke all earlier secrets of ${id} now? The receiver rejects all deliveries until it has the new secret.`,
        );
      }
      const path = pathOf('tenants', session.tenant, 'webhooks', id, 'rotate-secret');
      const body = overlapHours === undefined ? {} : { overlap_hours: overlapHours };
      session.printOne(await session.client.post<responses.RotatedSecret>(path, body));
      session.note('store the secret now: it is not shown again');
    });

  addListenCommand(webhooks, io, exit);
  addPortalCommands(webhooks, io);

  withReplayOptions(webhooks.command('requeue'))
    .description('send all dead deliveries again')
    .argument('<webhook>', 'id of the webhook')
    .addHelpText('after', `\nExample:\n  $ idsync webhooks requeue whk_… --watch\n${replayExitCodes}`)
    .action(async (id: string, options: ReplayOptions, command: Command) => {
      const session = await Session.of(command, io);
      exit(await requestReplay(session, pathOf('tenants', session.tenant, 'webhooks', id, 'requeue'), {}, options));
    });

  withReplayOptions(webhooks.command('replay'))
    .description('send all events of a time range, whether they were sent before or not')
    .argument('<webhook>', 'id of the webhook')
    .requiredOption('--since <time>', 'events that occurred at or after this time')
    .option('--until <time>', 'events that occurred before this time')
    .option('--events <types>', 'only these event types or prefixes, comma-separated')
    .addHelpText('after', replayHelp)
    .action(async (id: string, { since, until, events, ...options }: WindowOptions, command: Command) => {
      const session = await Session.of(command, io);
      const body = { since, until, events: events?.split(',').map((name) => name.trim()) };
      exit(await requestReplay(session, pathOf('tenants', session.tenant, 'webhooks', id, 'replay'), body, options));
    });
}

/** A plus sign marks a count that stopped at its limit. */
function counted({ count, exact }: responses.WebhookHealth['pending']): string {
  return `${count}${exact ? '' : '+'}`;
}

function print(session: Session, webhook: responses.WebhookDetails): void {
  if (session.isRaw) {
    session.printOne(webhook);
    return;
  }
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
