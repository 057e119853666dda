import type { responses } from '@idsync/contracts';
import { type Command, Option } from 'commander';
import { pathOf } from '../admin-client.js';
import { deliveryStatuses } from '../fixed-values.js';
import { type ReplayOptions, replayExitCodes, requestReplay, withReplayOptions } from '../replay-outcome.js';
import { type CliContext, Session } from '../session.js';
import { printableLines } from '../table.js';
import { wholeNumber } from '../whole-number.js';

const listHelp = `
Deliveries that ran out of attempts have the status dead; "idsync webhooks requeue" sends them again.

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

export function addDeliveryCommands(program: Command, io: CliContext, exit: (code: number) => void): void {
  const deliveries = program.command('deliveries').description('inspect and resend webhook deliveries');

  deliveries
    .command('list')
    .description('list deliveries, newest events first')
    .option('--webhook <webhook>', 'only deliveries to this webhook')
    .addOption(new Option('--status <status>', 'only deliveries in this status').choices(deliveryStatuses))
    .option('--event <type>', 'only deliveries of events of this type')
    .option('--since <time>', 'only events that occurred at or after this time')
    .option('--until <time>', 'only events that occurred before this time')
    .option('--limit <count>', 'maximum number of results', wholeNumber, 50)
    .option('--cursor <cursor>', 'continue after the results of an earlier list')
    .addHelpText('after', listHelp)
    .action(async ({ limit, webhook, event, ...options }: ListOptions, command: Command) => {
      const session = await Session.of(command, io);
      const filters = { webhook_id: webhook, event_type: event, ...options };
      const path = pathOf('tenants', session.tenant, 'deliveries');
      const list = await session.client.getUpTo<responses.Delivery>(path, limit, filters);
      session.printPage(list, ['id', 'webhook', 'event', 'occurred', 'status', 'attempts', 'last outcome'], (each) => [
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
    .description('show a delivery: its attempts, the request body and the last response')
    .argument('<delivery>', 'id of the delivery')
    .addHelpText('after', '\nExample:\n  $ idsync deliveries show dlv_…')
    .action(async (id: string, _options: object, command: Command) => {
      const session = await Session.of(command, io);
      print(
        session,
        await session.client.get<responses.DeliveryDetails>(pathOf('tenants', session.tenant, 'deliveries', id)),
      );
    });

  withReplayOptions(deliveries.command('resend'))
    .description('send one delivery again, even if it was delivered')
    .argument('<delivery>', 'id of the delivery')
    .addHelpText('after', `\nExample:\n  $ idsync deliveries resend dlv_…\n${replayExitCodes}`)
    .action(async (id: string, options: ReplayOptions, command: Command) => {
      const session = await Session.of(command, io);
      exit(await requestReplay(session, pathOf('tenants', session.tenant, 'deliveries', id, 'resend'), {}, options));
    });
}

function print(session: Session, delivery: responses.DeliveryDetails): void {
  if (session.isRaw) {
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
  session.printTable(['attempt', 'started', 'outcome', 'status', 'duration', 'error'], rows);
  session.print(`\nbody:\n${body === undefined ? 'no longer stored' : printableLines(body)}\n`);
  const responseBody = attempts.at(-1)?.response_body;
  if (responseBody) session.print(`\nlast response:\n${printableLines(responseBody)}\n`);
}
