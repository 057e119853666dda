import type { responses } from '@idsync/contracts';
import { type DeliveryStatus, deliveryStatuses } from '@idsync/contracts/fixed-values';
import type { CursorQuery } from '../admin-client.js';
import type { CliCommand } from '../cli-command.js';
import { printReplay, type ReplayOptions, replayExitCodes, withReplayOptions } from '../replay-outcome.js';
import type { Session } from '../session.js';
import { printableLines } from '../table.js';

const listHelp = `
Deliveries that ran out of attempts have the status dead; "idsync webhooks requeue" sends them again.

Example:
  $ idsync deliveries list --status dead
  $ idsync deliveries list --webhook whk_… --event user.created --since 2026-01-31T12:00:00Z`;

interface ListOptions extends CursorQuery {
  webhook?: string;
  status?: DeliveryStatus;
  event?: string;
  since?: string;
  until?: string;
}

export function addDeliveryCommands(program: CliCommand): void {
  const deliveries = program.add('deliveries', 'inspect and resend webhook deliveries');

  deliveries
    .add('list', 'list deliveries, newest events first')
    .option('--webhook <webhook>', 'only deliveries to this webhook')
    .choice('--status <status>', 'only deliveries in this status', deliveryStatuses)
    .option('--event <type>', 'only deliveries of events of this type')
    .option('--since <time>', 'only events that occurred at or after this time')
    .option('--until <time>', 'only events that occurred before this time')
    .cursored()
    .addHelpText('after', listHelp)
    .does(async (session, { limit, webhook, event, ...options }: ListOptions) => {
      const query = { limit, webhook_id: webhook, event_type: event, ...options };
      session.printPage(await session.client.upTo('GET /deliveries', query), [
        'id',
        ['webhook', 'webhook_id'],
        ['event', 'event_type'],
        'occurred_at',
        ['status', ({ in_flight, status }) => (in_flight ? `${status}, in flight` : status)],
        ['attempts', 'tries'],
        [
          'last outcome',
          (each) => `${each.last_outcome ?? '-'} ${each.last_status_code ?? each.last_error ?? ''}`.trim(),
        ],
      ]);
    });

  deliveries
    .add('show <delivery>', 'show a delivery: its attempts, the request body and the last response', 'dlv_…')
    .prints((session, id: string) => session.client.call('GET /deliveries/{deliveryId}', id), print);

  withReplayOptions(deliveries.add('resend <delivery>', 'send one delivery again, even if it was delivered', 'dlv_…'))
    .addHelpText('after', replayExitCodes)
    .does(async (session, id: string, { by, ...options }: ReplayOptions) => {
      await printReplay(
        session,
        await session.client.call('POST /deliveries/{deliveryId}/resend', id, { by }),
        options,
      );
    });
}

function print(session: Session, { attempts, body, ...rest }: responses.DeliveryDetails): void {
  session.printOne(rest);
  session.printTable(attempts, [
    ['attempt', 'number'],
    'started_at',
    'outcome',
    ['status', 'status_code'],
    ['duration', ({ duration_ms: ms }) => (ms === undefined ? undefined : `${ms} ms`)],
    'error',
  ]);
  session.print(`\nbody:\n${body === undefined ? 'no longer stored' : printableLines(body)}\n`);
  const responseBody = attempts.at(-1)?.response_body;
  if (responseBody) session.print(`\nlast response:\n${printableLines(responseBody)}\n`);
}

export function addReplayCommands(program: CliCommand): void {
  const replays = program.add('replays', 'show and cancel replays of webhook deliveries');

  replays
    .add('list', 'list the replays of the last 30 days, newest first', '--limit 10')
    .cursored()
    .does(async (session, query: CursorQuery) => {
      session.printPage(await session.client.upTo('GET /replays', query), [
        ['id', 'replay_id'],
        'kind',
        ['webhook', 'webhook_id'],
        'status',
        ['%', 'progress_pct'],
        ['to send', 'made_due'],
        ['by', 'requested_by'],
        'created_at',
      ]);
    });

  replays
    .add('show <replay>', 'show a replay and its progress', 'rpl_…')
    .prints((session, id: string) => session.client.call('GET /replays/{replayId}', id));

  replays
    .add('cancel <replay>', 'cancel a replay; deliveries that are already due are still sent', 'rpl_…')
    .prints((session, id: string) => session.client.call('POST /replays/{replayId}/cancel', id));
}
