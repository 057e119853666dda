import { Option } from 'commander';
import type { CliCommand } from '../cli-command.js';
import { UsageError } from '../cli-error.js';
import { confirm } from '../confirm.js';
import type { Session } from '../session.js';
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
export function addWebhookChanges(webhooks: CliCommand): void {
  withSettings(webhooks.add('create', 'create a webhook and print its signing secret once'))
    .argument('<url>', 'address that receives the events')
    .addHelpText('after', createHelp)
    .does(async (session, url: string, options: SettingOptions) => {
      if (!options.events) throw new UsageError('give --events, such as user.created,identity.* or *');
      const body = { callback_url: url, events: options.events, ...settingsOf(options, session) };
      session.printOne(await session.client.call('POST /webhooks', {}, body));
      session.note('store the signing secret now: it is not shown again');
    });

  withSettings(webhooks.add('update <webhook>', 'change the settings of a webhook, or activate or deactivate it'))
    .option('--callback-url <url>', 'address that receives the events')
    .option('--activate', 'send events that occur from now on')
    .addOption(new Option('--deactivate', 'send no events').conflicts('activate'))
    .addHelpText('after', updateHelp)
    .does(async (session, id: string, { callbackUrl, activate, deactivate, ...options }: UpdateOptions) => {
      const body = {
        ...(callbackUrl !== undefined && { callback_url: callbackUrl }),
        ...settingsOf(options, session),
        ...((activate || deactivate) && { active: activate === true }),
      };
      if (Object.keys(body).length === 0) throw new UsageError('nothing to change: see idsync webhooks update --help');
      session.printOne(await session.client.call('PATCH /webhooks/{webhookId}', id, body));
    });

  webhooks
    .add('delete <webhook>', 'delete a webhook; its waiting deliveries are not sent')
    .option('--yes', 'skip the confirmation')
    .example('whk_…')
    .does(async (session, id: string, { yes }: { yes?: boolean }) => {
      if (!yes) {
        const { callback_url: url } = await session.client.call('GET /webhooks/{webhookId}', id);
        await confirm(session.io, `Delete the webhook of ${url} with its deliveries? This cannot be undone.`);
      }
      await session.client.call('DELETE /webhooks/{webhookId}', id);
      session.note(`deleted ${id}`);
    });
}

function withSettings(command: CliCommand): CliCommand {
  return command
    .option('--events <types>', 'comma-separated events and prefixes such as identity.*, or *', commaSeparated)
    .option('--filter <file>', 'file with a JSON condition: only events that match; none removes it')
    .choice('--payload <form>', 'full, or thin: ids only', ['full', 'thin'])
    .option('--headers <file>', 'file with the additional headers of each request, as one JSON object');
}

function settingsOf({ events, filter, payload, headers }: SettingOptions, session: Session): object {
  return {
    ...(events && { events }),
    ...(filter !== undefined && { filter: filter === 'none' ? null : session.readBody(filter) }),
    ...(payload !== undefined && { payload }),
    ...(headers !== undefined && { headers: session.readBody(headers) }),
  };
}
