import type { Command } from 'commander';
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

interface TailOptions {
  after?: number;
  types?: string[];
  limit?: number;
}

const eventWidths = [24, 6, 24, 30, 20, 0];

export function addEventCommands(program: Command, io: CliContext, exit: (code: number) => void): void {
  const events = program.command('events').description('follow the events that webhooks receive');

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
