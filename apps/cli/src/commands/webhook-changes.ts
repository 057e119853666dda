import type { responses } from '@idsync/contracts';
import { type Command, Option } from 'commander';
import { pathOf } from '../admin-client.js';
import { UsageError } from '../cli-error.js';
import { confirm } from '../confirm.js';
import { readBody } from '../read-body.js';
import { type CliContext, Session } from '../session.js';
import { commaSeparated } from '../whole-number.js';

interface SettingOptions {
  events?: string[];
  filter?: string;
  payload?: string;
  headers?: string;
}

interface UpdateOptions extends SettingOptions {
  callbackUrl?: string;
  activate?: boolean;
  deactivate?: boolean;
}

const createHelp = `
A filter is a file with a condition, such as {"field": "data.status", "equals": "active"}. Additional headers are a file
with one JSON object of names and values, so that their values are in no list of processes; - is standard input.

Example:
  $ idsync webhooks create https://example.com/hook --events 'user.*,identity.*'
  $ echo '{"authorization": "Bearer …"}' | idsync webhooks create https://example.com/hook --events '*' --headers -`;

const updateHelp = `
Given settings replace the earlier ones; the others stay. While a webhook is inactive, events are not kept for it.

Example:
  $ idsync webhooks update whk_… --events 'user.*' --filter none
  $ idsync webhooks update whk_… --deactivate`;

/** Adds the commands that create, change and delete webhooks. */
export function addWebhookChanges(webhooks: Command, io: CliContext): void {
  withSettings(webhooks.command('create'))
    .description('create a webhook and print its signing secret once')
    .argument('<url>', 'address that receives the events')
    .addHelpText('after', createHelp)
    .action(async (url: string, options: SettingOptions, command: Command) => {
      if (!options.events) throw new UsageError('give --events, such as user.created,identity.* or *');
      const session = await Session.of(command, io);
      const body = { callback_url: url, ...settingsOf(options, io) };
      session.printOne(
        await session.client.post<responses.Webhook>(pathOf('tenants', session.tenant, 'webhooks'), body),
      );
      session.note('store the signing secret now: it is not shown again');
    });

  withSettings(webhooks.command('update'))
    .description('change the settings of a webhook, or activate or deactivate it')
    .argument('<webhook>', 'id of the webhook')
    .option('--callback-url <url>', 'address that receives the events')
    .option('--activate', 'send events that occur from now on')
    .addOption(new Option('--deactivate', 'send no events').conflicts('activate'))
    .addHelpText('after', updateHelp)
    .action(async (id: string, { callbackUrl, activate, deactivate, ...options }: UpdateOptions, command: Command) => {
      const body = {
        ...(callbackUrl !== undefined && { callback_url: callbackUrl }),
        ...settingsOf(options, io),
        ...((activate || deactivate) && { active: activate === true }),
      };
      if (Object.keys(body).length === 0) throw new UsageError('nothing to change: see idsync webhooks update --help');
      const session = await Session.of(command, io);
      session.printOne(
        await session.client.patch<responses.Webhook>(pathOf('tenants', session.tenant, 'webhooks', id), body),
      );
    });

  webhooks
    .command('delete')
    .description('delete a webhook; its waiting deliveries are not sent')
    .argument('<webhook>', 'id of the webhook')
    .option('--yes', 'skip the confirmation')
    .addHelpText('after', '\nExample:\n  $ idsync webhooks delete whk_…')
    .action(async (id: string, { yes }: { yes?: boolean }, command: Command) => {
      const session = await Session.of(command, io);
      const path = pathOf('tenants', session.tenant, 'webhooks', id);
      if (!yes) {
        const { callback_url: url } = await session.client.get<responses.WebhookDetails>(path);
        await confirm(io, `Delete the webhook of ${url} with its deliveries? This cannot be undone.`);
      }
      await session.client.delete(path);
      session.note(`deleted ${id}`);
    });
}

function withSettings(command: Command): Command {
  return command
    .option('--events <types>', 'comma-separated events and prefixes such as identity.*, or *', commaSeparated)
    .option('--filter <file>', 'file with a JSON condition: only events that match; none removes it')
    .addOption(new Option('--payload <form>', 'full, or thin: ids only').choices(['full', 'thin']))
    .option('--headers <file>', 'file with the additional headers of each request, as one JSON object');
}

function settingsOf({ events, filter, payload, headers }: SettingOptions, { cwd }: CliContext): object {
  return {
    ...(events && { events }),
    ...(filter !== undefined && { filter: filter === 'none' ? null : readBody(filter, cwd) }),
    ...(payload !== undefined && { payload }),
    ...(headers !== undefined && { headers: readBody(headers, cwd) }),
  };
}
