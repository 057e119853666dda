import type { OperatorPolicy, responses } from '@idsync/contracts';
import type { Command } from 'commander';
import { type CursorList, pathOf } from '../admin-client.js';
import { CliError, UsageError } from '../cli-error.js';
import { readBody } from '../read-body.js';
import { type CliContext, Session } from '../session.js';
import { table } from '../table.js';
import { verifyExport } from '../verify-export.js';
import { wholeNumber } from '../whole-number.js';

const listHelp = `
Examples: who released a job, and everything that one operator did in a week:
  $ idsync audit list --resource job_…
  $ idsync audit list --actor ci --since 2026-11-16T00:00:00Z --until 2026-11-23T00:00:00Z`;

const verifyHelp = `
Recomputes the chain of the tenant, and reports each entry that is missing or is not the one that was written. Keep the
printed head elsewhere, and give it to the next verification: it then also notices that a backup was restored over the
newest entries. --file checks an export without the service: its hashes, and that no entry between its first and its
last one is missing.

Exit codes: 0 no problem, 1 a problem was found or the command failed.

Example:
  $ idsync audit verify --known 120:9f86d081…
  $ idsync audit verify --installation
  $ idsync audit verify --file audit.jsonl`;

const exportHelp = `
Writes one entry a line, the oldest first.

Example:
  $ idsync audit export > audit.jsonl`;

interface Filters {
  actor?: string;
  action?: string;
  resource?: string;
  request?: string;
  since?: string;
  until?: string;
}

export function addAuditCommands(program: Command, io: CliContext, exit: (code: number) => void): void {
  const audit = program.command('audit').description('see, verify and export who did what');

  withFilters(audit.command('list').description('list audit entries, newest first'))
    .option('--all-tenants', 'entries of all tenants and of the installation')
    .option('--limit <count>', 'maximum number of results', wholeNumber, 50)
    .option('--cursor <cursor>', 'continue after the results of an earlier list')
    .addHelpText('after', listHelp)
    .action(async (options: Filters & { allTenants?: true; limit: number; cursor?: string }, command: Command) => {
      const session = await Session.of(command, io);
      const filters = { ...filtersOf(options), cursor: options.cursor };
      const path = options.allTenants ? 'audit' : pathOf('tenants', session.tenant, 'audit');
      const list = await session.client.getUpTo<responses.AuditEntry>(path, options.limit, filters);
      session.printPage(list, ['at', 'actor', 'role', 'from', 'action', 'outcome', 'resource', 'reason'], (each) => [
        each.at,
        each.actor.name,
        each.actor.role,
        each.address,
        actionOf(each),
        outcomeOf(each),
        each.resource,
        each.reason ?? each.error,
      ]);
    });

  withFilters(audit.command('export').description('write audit entries as JSON lines, oldest first'))
    .addHelpText('after', exportHelp)
    .action(async (options: Filters, command: Command) => {
      const session = await Session.of(command, io);
      if (session.format === 'json' || session.format === 'csv') {
        throw new UsageError(`an export has the format jsonl, got "${session.format}"; "idsync audit list" has others`);
      }
      const path = pathOf('tenants', session.tenant, 'audit');
      let cursor: string | undefined;
      do {
        const query = queryOf({ ...filtersOf(options), order: 'asc', limit: '200', cursor });
        const page = await session.client.get<CursorList<responses.AuditEntry>>(`${path}?${query}`);
        for (const entry of page.data) session.print(`${JSON.stringify(entry)}\n`);
        cursor = page.next_cursor;
      } while (cursor !== undefined);
    });

  audit
    .command('verify')
    .description('verify that no audit entry is missing or changed')
    .option('--known <sequence:hash>', 'the head that an earlier verification printed')
    .option('--installation', 'verify the chain of the installation instead of the one of the tenant')
    .option('--file <path>', 'verify this export, without the service')
    .addHelpText('after', verifyHelp)
    .action(async (options: { known?: string; installation?: true; file?: string }, command: Command) => {
      const session = await Session.of(command, io);
      const found = options.file === undefined ? await verify(session, options) : await verifyExport(options.file, io);
      if (session.isRaw) session.printOne(found);
      else printVerification(session, found);
      exit(found.problems.length === 0 ? 0 : 1);
    });

  addPolicyCommands(audit, io);
}

/** An approval performs another act, which is what a reader looks for. */
function actionOf({ action, after }: responses.AuditEntry): string {
  const { action: performed } = (after ?? {}) as { action?: unknown };
  return action === 'approveApproval' && typeof performed === 'string' ? `${action} ${performed}` : action;
}

/** A request that waits for a second operator has changed nothing yet. */
function outcomeOf({ outcome, status, after }: responses.AuditEntry): string {
  if (status !== undefined) return `${outcome} ${status}`;
  const { waits_for_approval_until: until, approval_id: id } = (after ?? {}) as Record<string, unknown>;
  return until === undefined ? outcome : `waits for ${id}`;
}

function withFilters(command: Command): Command {
  return command
    .option('--actor <name>', 'only acts of this actor')
    .option('--action <action>', 'only this action, such as releaseSyncJob')
    .option('--resource <id>', 'only acts on this resource')
    .option('--request <id>', 'only acts of the request with this id')
    .option('--since <time>', 'only entries of this time or later')
    .option('--until <time>', 'only entries before this time');
}

function filtersOf({ actor, action, resource, request, since, until }: Filters) {
  return { actor, action, resource, request_id: request, since, until };
}

function queryOf(values: Record<string, string | undefined>): URLSearchParams {
  return new URLSearchParams(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as [string, string]])),
  );
}

/** Reads the whole chain, a part with each request. */
async function verify(
  session: Session,
  { known, installation }: { known?: string; installation?: true },
): Promise<responses.AuditVerification> {
  const path = installation ? 'audit/verification' : pathOf('tenants', session.tenant, 'audit', 'verification');
  const whole: responses.AuditVerification = { verified: 0, problems: [] };
  for (let after = 0; ; ) {
    const query = queryOf({ after: String(after), known });
    const part = await session.client.get<responses.AuditVerification>(`${path}?${query}`);
    whole.verified += part.verified;
    whole.problems.push(...part.problems);
    if (part.head) whole.head = part.head;
    if (part.next_after === undefined) return whole;
    if (part.next_after <= after) throw new CliError('the service does not continue the verification');
    after = part.next_after;
  }
}

function printVerification(session: Session, { verified, problems, head }: responses.AuditVerification): void {
  if (problems.length > 0) {
    session.print(
      table(
        ['entry', 'problem'],
        problems.map(({ sequence, problem }) => [sequence, problem]),
        session.terminal,
      ),
    );
  }
  session.print(
    `${verified} entries verified, ${problems.length === 0 ? 'no problem' : `${problems.length} problems`}\n`,
  );
  if (head) session.print(`head ${head.sequence}:${head.hash} at ${head.at}\n`);
}

function addPolicyCommands(audit: Command, io: CliContext): void {
  const policy = audit.command('policy').description('see and change what is recorded and approved');
  const path = (session: Session) => pathOf('tenants', session.tenant, 'operator-policy');

  policy
    .command('show')
    .description('show the settings for operators')
    .addHelpText('after', '\nExample:\n  $ idsync audit policy show --json > policy.json')
    .action(async (_options: object, command: Command) => {
      const session = await Session.of(command, io);
      session.printOne(await session.client.get<OperatorPolicy>(path(session)));
    });

  policy
    .command('set')
    .description('replace these settings; an absent one gets its default')
    .requiredOption('--file <path>', 'JSON file with the settings; - reads standard input')
    .addHelpText('after', `\nExample:\n  $ echo '{"log_reads":true}' | idsync audit policy set --file -`)
    .action(async ({ file }: { file: string }, command: Command) => {
      const session = await Session.of(command, io);
      session.printOne(await session.client.put<OperatorPolicy>(path(session), readBody(file, io.cwd)));
    });
}
