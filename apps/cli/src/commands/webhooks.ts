import { portalAccesses, portalLinkLimits, type responses } from '@idsync/contracts';
import { Option } from 'commander';
import type { CliCommand } from '../cli-command.js';
import { UsageError } from '../cli-error.js';
import { counted } from '../counted.js';
import { commaSeparated, confirm, wholeNumber } from '../input.js';
import { printReplay, type ReplayOptions, replayExitCodes, withReplayOptions } from '../replay-outcome.js';
import type { Session } from '../session.js';
import { addListenCommand } from './listen.js';

const replayHelp = `
A replay covers the event types that the webhook subscribes to now. Events keep their ids, so the receiver can
recognize duplicates.

Example:
  $ idsync webhooks replay whk_… --since 2026-01-31T12:00:00Z --until 2026-01-31T14:00:00Z --watch
  $ idsync webhooks replay whk_… --since 2026-01-31T12:00:00Z --events 'user.*,identity.created'
${replayExitCodes}`;

const rotateHelp = `
Without --overlap-hours, the earlier secrets stay valid for another 24 hours.

Example for a leaked secret:
  $ idsync webhooks rotate-secret whk_… --overlap-hours 0`;

interface RotateOptions {
  overlapHours?: number;
  yes?: boolean;
}

interface WindowOptions extends ReplayOptions {
  since: string;
  until?: string;
  events?: string;
}

export function addWebhookCommands(program: CliCommand): void {
  const webhooks = program.add('webhooks', 'create, change, monitor and test webhooks, and replay their deliveries');

  webhooks
    .add('list', 'list the webhooks of the tenant, with their pending and dead deliveries', '')
    .does(async (session) => {
      const list = await session.client.call('GET /webhooks', {});
      session.printList(list, [
        'id',
        ['url', 'callback_url'],
        ['active', (each) => (each.active ? 'yes' : 'no')],
        ['pending', (each) => counted(each.pending)],
        ['dead', (each) => counted(each.dead)],
        ['breaker', (each) => each.breaker.state],
        'failures',
        'last_success_at',
      ]);
    });

  webhooks
    .add('show <webhook>', 'show a webhook and its statistics of the last 24 hours', 'whk_…')
    .prints((session, id: string) => session.client.call('GET /webhooks/{webhookId}', id), print);

  addWebhookChanges(webhooks);

  webhooks
    .add('test <webhook>', 'send a test event to a webhook, regardless of its subscribed events')
    .option('--message <text>', 'message of the event')
    .addHelpText('after', '\nTo see the result: idsync deliveries list --webhook whk_… --event webhook.test')
    .example('whk_…')
    .prints((session, id: string, { message }: { message?: string }) =>
      session.client.call('POST /webhooks/{webhookId}/test', id, { message }),
    );

  webhooks
    .add('rotate-secret <webhook>', 'replace the signing secret of a webhook and print the new one once')
    .option('--overlap-hours <hours>', 'how long the earlier secrets stay valid; 0 revokes them at once', wholeNumber)
    .option('--yes', 'skip the confirmation')
    .addHelpText('after', rotateHelp)
    .does(async (session, id: string, { overlapHours, yes }: RotateOptions) => {
      const question = `Revoke all earlier secrets of ${id} now? The receiver rejects all deliveries until it has the new secret.`;
      if (overlapHours === 0 && !yes) await confirm(session.io, question);
      const body = { overlap_hours: overlapHours };
      session.printOne(await session.client.call('POST /webhooks/{webhookId}/rotate-secret', id, body));
      session.note('store the secret now: it is not shown again');
    });

  addListenCommand(webhooks);
  addPortalCommands(webhooks);

  withReplayOptions(webhooks.add('requeue <webhook>', 'send all dead deliveries again'))
    .addHelpText('after', `\nExample:\n  $ idsync webhooks requeue whk_… --watch\n${replayExitCodes}`)
    .does(async (session, id: string, { by, ...options }: ReplayOptions) => {
      await printReplay(session, await session.client.call('POST /webhooks/{webhookId}/requeue', id, { by }), options);
    });

  withReplayOptions(
    webhooks.add('replay <webhook>', 'send all events of a time range, whether they were sent before or not'),
  )
    .requiredOption('--since <time>', 'events that occurred at or after this time')
    .option('--until <time>', 'events that occurred before this time')
    .option('--events <types>', 'only these event types or prefixes, comma-separated')
    .addHelpText('after', replayHelp)
    .does(async (session, id: string, { since, until, events, by, ...options }: WindowOptions) => {
      const body = { since, until, events: events?.split(',').map((name) => name.trim()), by };
      await printReplay(session, await session.client.call('POST /webhooks/{webhookId}/replay', id, body), options);
    });
}

function print(session: Session, webhook: responses.WebhookDetails): void {
  const { pending, dead, breaker, statistics, ...rest } = webhook;
  const { since, attempts, success_rate: rate, duration_ms: duration, outcomes } = statistics;
  session.printOne({
    ...rest,
    pending: counted(pending),
    dead: counted(dead),
    breaker: breaker.state === 'open' ? `open until ${breaker.open_until}` : breaker.state,
    [`attempts since ${since}`]: attempts,
    'success rate': rate === undefined ? undefined : `${Math.floor(rate * 1_000) / 10} %`,
    duration: duration && `p50 ${duration.p50} ms, p99 ${duration.p99} ms, of ${duration.attempts} attempts`,
    outcomes: Object.entries(outcomes).map(([outcome, count]) => `${outcome} ${count}`),
  });
}

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
function addWebhookChanges(webhooks: CliCommand): void {
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
    .add('delete <webhook>', 'delete a webhook; its waiting deliveries are not sent', 'whk_…')
    .option('--yes', 'skip the confirmation')
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

const { seconds } = portalLinkLimits;

const help = `
The holder of the link sees these webhooks in a browser, without an API key. It is printed once.

Example:
  $ idsync webhooks portal whk_… --access read --expires-in 900`;

interface PortalOptions {
  access: (typeof portalAccesses)[number];
  bodies: boolean;
  expiresIn?: number;
}

/** Adds the commands for links to the subscriber portal. */
function addPortalCommands(webhooks: CliCommand): void {
  webhooks
    .add('portal', 'create a short-lived link with which a subscriber examines its webhooks')
    .argument('<webhooks...>', 'ids of the webhooks that the link shows')
    .addOption(
      new Option('--access <access>', 'what the subscriber may do, each including those before it')
        .choices([...portalAccesses])
        .default('send'),
    )
    .option('--no-bodies', 'do not show the bodies of deliveries')
    .option(
      '--expires-in <seconds>',
      `validity, ${seconds.min} to ${seconds.max} (default: ${seconds.default})`,
      wholeNumber,
    )
    .addHelpText('after', help)
    .does(async (session, ids: string[], { access, bodies, expiresIn }: PortalOptions) => {
      const body = { webhook_ids: ids, access, bodies, ...(expiresIn !== undefined && { expires_in: expiresIn }) };
      session.printOne(await session.client.call('POST /portal-links', {}, body));
      session.note('the link can be used by its holder until it expires');
    });

  webhooks
    .add('revoke-portal <webhook>', 'revoke all portal links of a webhook', 'whk_…')
    .does(async (session, id: string) => {
      await session.client.call('DELETE /webhooks/{webhookId}/portal-links', id);
      session.note(`the portal links of ${id} are revoked`);
    });
}
