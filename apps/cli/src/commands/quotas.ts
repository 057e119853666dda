import type { QuotaName, responses } from '@idsync/contracts';
import type { Command } from 'commander';
import { pathOf } from '../admin-client.js';
import { UsageError } from '../cli-error.js';
import { type CliContext, Session } from '../session.js';

const setHelp = `
Other limits stay as they are; "unlimited" removes one. Only operators of all tenants may change them.

Example:
  $ idsync tenants quotas set --people 10000 --requests-per-minute 5000
  $ idsync tenants quotas set --webhooks unlimited`;

const names = Object.keys({
  people: true,
  connectors: true,
  webhooks: true,
  requests_per_minute: true,
} satisfies Record<QuotaName, true>) as QuotaName[];

/** Adds `tenants quotas`. */
export function addQuotaCommands(tenants: Command, io: CliContext): void {
  const quotas = tenants.command('quotas').description('see and change the limits of a tenant');
  const pathTo = (session: Session) => pathOf('tenants', session.tenant, 'quotas');

  quotas
    .command('show')
    .description('show the limits of the tenant, and how much of them is used')
    .addHelpText('after', '\nExample:\n  $ idsync tenants quotas show')
    .action(async (_options: object, command: Command) => {
      const session = await Session.of(command, io);
      print(session, await session.client.get<responses.QuotaUsage>(pathTo(session)));
    });

  quotas
    .command('set')
    .description('change limits of the tenant')
    .option('--people <count>', 'users that are not deleted')
    .option('--connectors <count>', 'connectors')
    .option('--webhooks <count>', 'webhooks')
    .option('--requests-per-minute <count>', 'requests of all keys of the tenant, at each gateway')
    .addHelpText('after', setHelp)
    .action(async (options: Record<string, string | undefined>, command: Command) => {
      const session = await Session.of(command, io);
      const before = await session.client.get<responses.QuotaUsage>(pathTo(session));
      const limits = names.flatMap((name) => {
        const limit = limitOf(name, options[camelCase(name)], before[name].limit);
        return limit === undefined ? [] : [[name, limit] as const];
      });
      print(session, await session.client.put<responses.QuotaUsage>(pathTo(session), Object.fromEntries(limits)));
    });
}

function limitOf(name: QuotaName, given: string | undefined, before: number | undefined): number | undefined {
  if (given === undefined) return before;
  if (given === 'unlimited') return undefined;
  if (!/^\d+$/.test(given))
    throw new UsageError(`--${name.replaceAll('_', '-')} must be a whole number or "unlimited", got "${given}"`);
  return Number(given);
}

const camelCase = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

function print(session: Session, usage: responses.QuotaUsage): void {
  if (session.format === 'json') {
    session.printOne(usage);
    return;
  }
  const data = names.map((quota) => ({ quota, ...usage[quota] }));
  session.printItems({ data }, ['quota', 'limit', 'used'], ({ quota, limit, used }) => [
    quota,
    limit ?? 'unlimited',
    used,
  ]);
}
