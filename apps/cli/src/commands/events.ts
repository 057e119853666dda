import type { responses } from '@idsync/contracts';
import type { Command } from 'commander';
import { pathOf } from '../admin-client.js';
import { eventCells, eventHeadings } from '../describe-event.js';
import { openEventStream } from '../event-stream.js';
import { interruptedExitCode, interruption } from '../interruption.js';
import { type CliContext, Session } from '../session.js';
import { StreamPrinter } from '../stream-printer.js';
import { commaSeparated, wholeNumber } from '../whole-number.js';

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

interface ListOptions {
  types?: string;
  identity?: string;
  subject?: string;
  job?: string;
  connector?: string;
  since?: string;
  until?: string;
  limit: number;
  cursor?: string;
}

interface TailOptions {
  after?: number;
  types?: string[];
  limit?: number;
}

const eventWidths = [24, 6, 24, 30, 20, 0];

export function addEventCommands(program: Command, io: CliContext, exit: (code: number) => void): void {
  const events = program.command('events').description('list and follow the events that webhooks receive');

  events
    .command('list')
    .description('list events with their deliveries, newest first')
    .option('--types <types>', 'only these event types or prefixes, comma-separated')
    .option('--identity <identity>', 'only events of this identity')
    .option('--subject <record>', 'only events about this user, account or machine identity')
    .option('--job <job>', 'only events that this job caused')
    .option('--connector <connector>', 'only events that jobs of this connector caused')
    .option('--since <time>', 'only events that occurred at or after this time')
    .option('--until <time>', 'only events that occurred before this time')
    .option('--limit <count>', 'maximum number of results', wholeNumber, 50)
    .option('--cursor <cursor>', 'continue after the results of an earlier list')
    .addHelpText('after', listHelp)
    .action(async ({ limit, identity, subject, job, connector, ...options }: ListOptions, command: Command) => {
      const session = await Session.of(command, io);
      const filters = { identity_id: identity, subject_id: subject, job_id: job, connector_id: connector, ...options };
      const path = pathOf('tenants', session.tenant, 'events');
      const list = await session.client.getUpTo<responses.OperatorEvent>(path, limit, filters);
      session.printPage(list, ['occurred', 'id', 'event', 'subject', 'name', 'changed', 'deliveries'], (each) => [
        each.occurred_at,
        each.id,
        each.event_type,
        each.subject_id ?? each.job_id,
        each.name,
        each.changed,
        each.deliveries.map(({ status }) => status),
      ]);
    });

  events
    .command('show')
    .description('show an event: its details, its deliveries and its body')
    .argument('<event>', 'id of the event')
    .addHelpText('after', '\nExample:\n  $ idsync events show evt_…')
    .action(async (id: string, _options: object, command: Command) => {
      const session = await Session.of(command, io);
      const path = pathOf('tenants', session.tenant, 'events', id);
      session.printOne(await session.client.get<responses.OperatorEventDetails>(path));
    });

  events
    .command('tail')
    .description('print events as they occur, until interrupted')
    .option('--after <sequence>', 'start after this event; 0 is the first one (default: only new events)', wholeNumber)
    .option('--types <types>', 'only these event types or prefixes, comma-separated', commaSeparated)
    .option('--limit <count>', 'end after this number of events', wholeNumber)
    .addHelpText('after', tailHelp)
    .action(async ({ limit = Number.POSITIVE_INFINITY, ...options }: TailOptions, command: Command) => {
      const session = await Session.of(command, io);
      const { signal, dispose } = interruption(io);
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
          exit(interruptedExitCode);
        }
      } finally {
        dispose();
      }
    });
}
