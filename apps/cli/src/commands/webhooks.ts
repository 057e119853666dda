import type { Command } from 'commander';
import { pathOf } from '../admin-client.js';
import type { Count, List, WebhookDetails, WebhookHealth } from '../admin-replies.js';
import { type ReplayOptions, replayExitCodes, request, withReplayOptions } from '../replay-outcome.js';
import { Session, type Surroundings } from '../session.js';

const replayHelp = `
Of what the webhook subscribes to now. The id of an event is the same as before, so a receiver knows what it has already.

Example:
  $ idsync webhooks replay whk_… --since 2026-01-31T12:00:00Z --until 2026-01-31T14:00:00Z --watch
  $ idsync webhooks replay whk_… --since 2026-01-31T12:00:00Z --events 'user.*,identity.created'
${replayExitCodes}`;

interface WindowOptions extends ReplayOptions {
  since: string;
  until?: string;
  events?: string;
}

export function addWebhookCommands(program: Command, io: Surroundings, exit: (code: number) => void): void {
  const webhooks = program.command('webhooks').description('see how webhooks fare, test them, and send again');

  webhooks
    .command('list')
    .description('list the webhooks of the tenant, with what waits and what was given up')
    .addHelpText('after', '\nExample:\n  $ idsync webhooks list')
    .action(async (_options: object, command: Command) => {
      const session = Session.of(command, io);
      const list = await session.client.get<List<WebhookHealth>>(pathOf('tenants', session.tenant, 'webhooks'));
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
    .description('show a webhook, and how it fared in the last 24 hours')
    .argument('<webhook>', 'its id')
    .addHelpText('after', '\nExample:\n  $ idsync webhooks show whk_…')
    .action(async (id: string, _options: object, command: Command) => {
      const session = Session.of(command, io);
      print(session, await session.client.get<WebhookDetails>(pathOf('tenants', session.tenant, 'webhooks', id)));
    });

  webhooks
    .command('test')
    .description('send a test event to a webhook, whatever it subscribes to')
    .argument('<webhook>', 'its id')
    .option('--message <text>', 'what the event says')
    .addHelpText(
      'after',
      '\nWhat came of it: idsync deliveries list --webhook whk_… --event webhook.test\n\nExample:\n  $ idsync webhooks test whk_…',
    )
    .action(async (id: string, { message }: { message?: string }, command: Command) => {
      const session = Session.of(command, io);
      const path = pathOf('tenants', session.tenant, 'webhooks', id, 'test');
      session.printOne(await session.client.post<{ event_id: string }>(path, { message }));
    });

  withReplayOptions(webhooks.command('requeue'))
    .description('send again what was given up')
    .argument('<webhook>', 'its id')
    .addHelpText('after', `\nExample:\n  $ idsync webhooks requeue whk_… --watch\n${replayExitCodes}`)
    .action(async (id: string, options: ReplayOptions, command: Command) => {
      const session = Session.of(command, io);
      exit(await request(session, pathOf('tenants', session.tenant, 'webhooks', id, 'requeue'), {}, options));
    });

  withReplayOptions(webhooks.command('replay'))
    .description('send what occurred in a time again, and what was never sent of it')
    .argument('<webhook>', 'its id')
    .requiredOption('--since <time>', 'events that occurred from here on')
    .option('--until <time>', 'and before there')
    .option('--events <types>', 'only these types or prefixes, comma-separated')
    .addHelpText('after', replayHelp)
    .action(async (id: string, { since, until, events, ...options }: WindowOptions, command: Command) => {
      const session = Session.of(command, io);
      const body = { since, until, events: events?.split(',').map((name) => name.trim()) };
      exit(await request(session, pathOf('tenants', session.tenant, 'webhooks', id, 'replay'), body, options));
    });
}

/** One that is not exact is what was counted before the counting stopped. */
function counted({ count, exact }: Count): string {
  return `${count}${exact ? '' : '+'}`;
}

function print(session: Session, webhook: WebhookDetails): void {
  if (session.json) {
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
