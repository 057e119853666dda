import type { CursorQuery } from '../admin-client.js';
import { eventCells, eventHeadings } from '../cells.js';
import type { CliCommand } from '../cli-command.js';
import { interruptedExitCode, interruption, openEventStream } from '../event-stream.js';
import { commaSeparated, wholeNumber } from '../input.js';
import { StreamPrinter } from '../printer.js';

const tailHelp = `
Needs the API key of the tenant, with the scope events:read. After an outage of less than five minutes it continues where
it stopped, without missing an event. An interrupt prints the position to continue from.

Examples:
  $ idsync events tail
  $ idsync events tail --types 'user.*,sync.job.failed' --output jsonl
  $ idsync events tail --after 0 --limit 100`;

const listHelp = `
Lists events with their deliveries, without values of people; "idsync events show" prints an event with its values.

Examples:
  $ idsync events list --identity idn_…
  $ idsync events list --connector con_… --types 'user.*' --since 2026-01-31T12:00:00Z`;

type ListOptions = CursorQuery &
  Partial<Record<'identity' | 'subject' | 'job' | 'connector' | 'types' | 'since' | 'until', string>>;

interface TailOptions {
  after?: number;
  types?: string[];
  limit?: number;
}

const eventWidths = [24, 6, 24, 30, 20, 0];

export function addEventCommands(program: CliCommand): void {
  const events = program.add('events', 'list and follow the events that webhooks receive');

  events
    .add('list', 'list events with their deliveries, newest first')
    .option('--types <types>', 'only these event types or prefixes, comma-separated')
    .option('--identity <identity>', 'only events of this identity')
    .option('--subject <record>', 'only events about this user, account or machine identity')
    .option('--job <job>', 'only events that this job caused')
    .option('--connector <connector>', 'only events that jobs of this connector caused')
    .option('--since <time>', 'only events that occurred at or after this time')
    .option('--until <time>', 'only events that occurred before this time')
    .cursored()
    .addHelpText('after', listHelp)
    .does(async (session, { limit, identity, subject, job, connector, ...options }: ListOptions) => {
      const of = { identity_id: identity, subject_id: subject, job_id: job, connector_id: connector };
      const list = await session.client.upTo('GET /events', { limit, ...of, ...options });
      session.printPage(list, [
        'occurred_at',
        'id',
        ['event', 'event_type'],
        ['subject', (each) => each.subject_id ?? each.job_id],
        'name',
        'changed',
        ['deliveries', (each) => each.deliveries.map(({ status }) => status)],
      ]);
    });

  events
    .add('show <event>', 'show an event: its details, its deliveries and its body', 'evt_…')
    .prints((session, id: string) => session.client.call('GET /events/{eventId}', id));

  events
    .add('tail', 'print events as they occur, until interrupted')
    .option('--after <sequence>', 'start after this event; 0 is the first one (default: only new events)', wholeNumber)
    .option('--types <types>', 'only these event types or prefixes, comma-separated', commaSeparated)
    .option('--limit <count>', 'end after this number of events', wholeNumber)
    .addHelpText('after', tailHelp)
    .does(async (session, { limit = Number.POSITIVE_INFINITY, ...options }: TailOptions) => {
      const { signal, dispose } = interruption(session.io);
      try {
        const stream = await openEventStream(session, {
          ...options,
          signal,
          onOutage: (message) => session.note(`${message}; trying again`),
        });
        const printer = new StreamPrinter(session, eventHeadings, eventWidths);
        let printed = 0;
        if (limit > 0) {
          for await (const event of stream) {
            printer.print(event, eventCells(event));
            printed += 1;
            if (printed >= limit) break;
          }
        }
        if (signal.aborted) {
          session.note(`continue with: idsync events tail --after ${stream.position()}`);
          session.exit(interruptedExitCode);
        }
      } finally {
        dispose();
      }
    });
}
