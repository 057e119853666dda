import type { LifecycleEvent } from '@idsync/client';
import type { CliCommand } from '../cli-command.js';
import { UsageError } from '../cli-error.js';
import { explained } from '../event-stream.js';
import { wholeNumber } from '../whole-number.js';

const help = `
Needs the API key of the tenant, with the scope identities:read.

Examples:
  $ idsync identities history idn_…
  $ idsync identities history idn_… --since 2026-01-31T00:00:00Z --output csv`;

interface HistoryOptions {
  since?: string;
  limit: number;
}

/** Adds the command that lists what happened to an identity. */
export function addHistoryCommand(identities: CliCommand): void {
  identities
    .add('history <identity>', 'list the changes of an identity and of everything linked to it, oldest first')
    .option('--since <time>', 'only changes at or after this time')
    .option('--limit <count>', 'maximum number of results', wholeNumber, 50)
    .addHelpText('after', help)
    .does(async (session, id: string, { since, limit }: HistoryOptions) => {
      if (!/^idn_\w+$/.test(id)) throw new UsageError(`"${id}" is not the id of an identity: it must begin with idn_`);
      const client = await session.tenantClient();
      const query = { limit: Math.min(Math.max(limit, 1), 200), ...(since !== undefined && { updated_since: since }) };
      const list = { data: [] as LifecycleEvent[], total: 0 };
      await explained(async () => {
        for await (const page of client.identities.history(id, query).pages()) {
          list.total = page.total;
          list.data.push(...page.data.slice(0, limit - list.data.length));
          if (list.data.length >= limit) break;
        }
      }, `no identity "${id}" in the tenant of this API key; "idsync identities list" shows the ids`);
      session.printList(list, [
        ['time', 'occurred_at'],
        ['event', 'event_type'],
        'id',
        ['subject', ({ details }) => details.subject_id ?? details.record_id ?? details.id],
        ['changes', ({ details: { changes } }) => (Array.isArray(changes) ? changes.map(shownChange) : undefined)],
        ['cause', ({ details }) => details.operation_id ?? details.job_id],
      ]);
    });
}

/** Shows a changed field as `title: Engineer → Lead`. */
export function shownChange({ field, from, to }: Record<string, unknown>): string {
  return `${field}: ${shown(from)} → ${shown(to)}`;
}

function shown(value: unknown): string {
  return Array.isArray(value) ? value.join('; ') : String(value ?? '-');
}
