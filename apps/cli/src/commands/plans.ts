import type { Command } from 'commander';
import { pathOf } from '../admin-client.js';
import type { Job, Operation, Plan } from '../admin-replies.js';
import { exitCodeOf, operationExitCodes, printOperation } from '../operation-outcome.js';
import { Session, type Surroundings } from '../session.js';
import { wholeNumber } from '../whole-number.js';

interface PageOptions {
  limit: number;
  offset: number;
}

interface Decision {
  reason: string;
  by?: string;
}

/** What a job wants to do, and the word that lets it. */
export function addPlanCommands(jobs: Command, io: Surroundings, exit: (code: number) => void): void {
  jobs
    .command('plan')
    .description('show what a job would change or delete beyond what it did at once')
    .argument('<job>', 'its id')
    .option('--limit <count>', 'at most this many', wholeNumber, 50)
    .option('--offset <count>', 'leave out this many first', wholeNumber, 0)
    .action(async (id: string, { limit, offset }: PageOptions, command: Command) => {
      const session = Session.of(command, io);
      const path = pathOf('tenants', session.tenant, 'sync-jobs', id, 'plan');
      const plan = await session.client.get<Plan>(`${path}?limit=${limit}&offset=${offset}`);
      if (!session.json) {
        const { counts, state, known, note } = plan;
        session.printOne({ state, ...counts, known, note });
        session.print('\n');
      }
      session.printList(plan, ['action', 'kind', 'record', 'identity', 'done', 'changes'], (entry) => [
        entry.action,
        entry.record.kind,
        entry.record.external_id,
        entry.identity_id,
        entry.done ? 'yes' : 'no',
        entry.changes.map(describe).join(', '),
      ]);
    });

  jobs
    .command('release')
    .description('let a quarantined job do what its safeguard held back, for this run only')
    .argument('<job>', 'its id')
    .requiredOption('--reason <text>', 'kept with the job')
    .option('--by <name>', 'who decides, kept with the job')
    .action(async (id: string, decision: Decision, command: Command) => {
      const session = Session.of(command, io);
      const path = pathOf('tenants', session.tenant, 'sync-jobs', id, 'release');
      session.printOne(await session.client.post<Job>(path, decision));
    });

  jobs
    .command('apply')
    .description('do exactly what a dry run wrote down; refused if the directory has changed since')
    .argument('<job>', 'the id of the dry run')
    .option('--reason <text>', 'kept with the operation; needed if the safeguard would hold the plan back')
    .addHelpText('after', operationExitCodes)
    .action(async (id: string, { reason }: { reason?: string }, command: Command) => {
      const session = Session.of(command, io);
      const path = pathOf('tenants', session.tenant, 'sync-jobs', id, 'apply');
      const operation = await session.client.post<Operation>(path, { reason });
      printOperation(session, operation);
      exit(exitCodeOf(operation.status));
    });
}

function describe({ field, from, to }: Plan['data'][number]['changes'][number]): string {
  return `${field}: ${shown(from)} → ${shown(to)}`;
}

function shown(value: string | string[] | undefined): string {
  return Array.isArray(value) ? value.join('; ') : (value ?? '-');
}
