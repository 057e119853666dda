import type { Command } from 'commander';
import { pathOf } from '../admin-client.js';
import type { Delivery, DeliveryDetails } from '../admin-replies.js';
import { type ReplayOptions, replayExitCodes, request, withReplayOptions } from '../replay-outcome.js';
import { Session, type Surroundings } from '../session.js';
import { printableLines, table } from '../table.js';
import { wholeNumber } from '../whole-number.js';

const listHelp = `
What was given up is --status dead; "idsync webhooks requeue" sends it again.

Example:
  $ idsync deliveries list --status dead
  $ idsync deliveries list --webhook whk_… --event user.created --since 2026-01-31T12:00:00Z`;

interface ListOptions {
  webhook?: string;
  status?: string;
  event?: string;
  since?: string;
  until?: string;
  limit: number;
  cursor?: string;
}

export function addDeliveryCommands(program: Command, io: Surroundings, exit: (code: number) => void): void {
  const deliveries = program.command('deliveries').description('see what was sent to webhooks and what came of it');

  deliveries
    .command('list')
    .description('list the deliveries, the newest events first')
    .option('--webhook <webhook>', 'only those to this webhook')
    .option('--status <status>', 'only pending, delivered or dead ones')
    .option('--event <type>', 'only those of events of this type')
    .option('--since <time>', 'only of events that occurred from here on')
    .option('--until <time>', 'only of events that occurred before')
    .option('--limit <count>', 'at most this many', wholeNumber, 50)
    .option('--cursor <cursor>', 'go on where another list has ended')
    .addHelpText('after', listHelp)
    .action(async ({ limit, webhook, event, ...options }: ListOptions, command: Command) => {
      const session = Session.of(command, io);
      const filters = { webhook_id: webhook, event_type: event, ...options };
      const path = pathOf('tenants', session.tenant, 'deliveries');
      const list = await session.client.getUpTo<Delivery>(path, limit, filters);
      session.printPage(list, ['id', 'webhook', 'event', 'occurred', 'status', 'tries', 'last outcome'], (each) => [
        each.id,
        each.webhook_id,
        each.event_type,
        each.occurred_at,
        each.in_flight ? `${each.status}, in flight` : each.status,
        each.tries,
        [each.last_outcome ?? '-', each.last_status_code ?? each.last_error ?? ''].join(' ').trim(),
      ]);
    });

  deliveries
    .command('show')
    .description('show a delivery: its attempts, what is sent, and what the receiver said last')
    .argument('<delivery>', 'its id')
    .addHelpText('after', '\nExample:\n  $ idsync deliveries show dlv_…')
    .action(async (id: string, _options: object, command: Command) => {
      const session = Session.of(command, io);
      print(session, await session.client.get<DeliveryDetails>(pathOf('tenants', session.tenant, 'deliveries', id)));
    });

  withReplayOptions(deliveries.command('resend'))
    .description('send one delivery again, also if it was delivered')
    .argument('<delivery>', 'its id')
    .addHelpText('after', `\nExample:\n  $ idsync deliveries resend dlv_…\n${replayExitCodes}`)
    .action(async (id: string, options: ReplayOptions, command: Command) => {
      const session = Session.of(command, io);
      exit(await request(session, pathOf('tenants', session.tenant, 'deliveries', id, 'resend'), {}, options));
    });
}

function print(session: Session, delivery: DeliveryDetails): void {
  if (session.json) {
    session.printOne(delivery);
    return;
  }
  const { attempts, body, ...rest } = delivery;
  session.printOne(rest);
  const rows = attempts.map((each) => [
    each.number,
    each.started_at,
    each.outcome,
    each.status_code,
    each.duration_ms === undefined ? undefined : `${each.duration_ms} ms`,
    each.error,
  ]);
  session.print(`\n${table(['attempt', 'began', 'outcome', 'status', 'duration', 'error'], rows)}`);
  session.print(`\nbody:\n${body === undefined ? 'not there any more' : printableLines(body)}\n`);
  const answer = attempts.at(-1)?.response_body;
  if (answer) session.print(`\nlast answer:\n${printableLines(answer)}\n`);
}
