import { randomBytes } from 'node:crypto';
import { parseUrl } from '@idsync/contracts/parse-url';

import type { CliCommand } from '../cli-command.js';
import { UsageError } from '../cli-error.js';
import { interruptedExitCode, interruption, openEventStream } from '../event-stream.js';
import { commaSeparated, wholeNumber } from '../input.js';
import { StreamPrinter } from '../printer.js';

const help = `
For the development of a receiver: no webhook is created, and idsync needs no connection to this machine. Events are read
from the event feed with the API key of the tenant and sent one after another, with the headers and the signature of a
webhook. Each event is sent once: a failing response is shown and not retried.

Without --secret, the signing secret is generated and printed; it is valid until the command ends.

Examples:
  $ idsync webhooks listen --forward-to http://localhost:8080/webhooks
  $ idsync webhooks listen --forward-to http://localhost:8080/webhooks --types 'user.*' --after 0`;

interface ListenOptions {
  forwardTo: string;
  secret?: string;
  after?: number;
  types?: string[];
  limit?: number;
}

/** Adds the command that forwards events to a receiver in development. */
export function addListenCommand(webhooks: CliCommand): void {
  webhooks
    .add('listen', 'forward events to a local URL, signed as webhooks are, until interrupted')
    .requiredOption('--forward-to <url>', 'address of the receiver, such as http://localhost:8080/webhooks')
    .option('--secret <secret>', 'signing secret, whsec_ and base64; also IDSYNC_WEBHOOK_SECRET')
    .option('--types <types>', 'only these event types or prefixes, comma-separated', commaSeparated)
    .option('--after <sequence>', 'start after this event; 0 is the first one (default: only new events)', wholeNumber)
    .option('--limit <count>', 'end after this number of events', wholeNumber)
    .addHelpText('after', help)
    .does(async (session, options: ListenOptions) => {
      const { forwardTo, after, types, limit = Number.POSITIVE_INFINITY } = options;
      const url = parseUrl(forwardTo);
      if (!url || !['http:', 'https:'].includes(url.protocol)) {
        throw new UsageError(`--forward-to must be an http or https URL, got "${forwardTo}"`);
      }
      const given = options.secret || (session.io.env ?? process.env).IDSYNC_WEBHOOK_SECRET;
      const secret = checkedSigningSecret(given ?? `whsec_${randomBytes(32).toString('base64')}`);
      const { signal, dispose } = interruption(session.io);
      try {
        const onOutage = (message: string) => session.note(`${message}; trying again`);
        const stream = await openEventStream(session, { after, types, signal, onOutage });
        const { forward } = await import('../forward.js');
        session.io.err.write(`forwarding to ${url.href}\n${given ? '' : `signing secret: ${secret}\n`}`);
        const printer = new StreamPrinter(session, headings, [24, 24, 30, 6, 8]);
        let sent = 0;
        if (limit === 0) return;
        for await (const event of stream) {
          const { status, durationMs, error } = await forward(url.href, secret, event);
          const resource = { event: event.id, type: event.type, status, duration_ms: durationMs, error };
          const occurred = event.timestamp ?? new Date().toISOString();
          printer.print(resource, [occurred, event.type, event.id, status, `${durationMs} ms`, error]);
          sent += 1;
          if (sent >= limit) break;
        }
        if (!signal.aborted) return;
        session.note(`continue with: --after ${stream.position()}`);
        session.exit(interruptedExitCode);
      } finally {
        dispose();
      }
    });
}

const headings = ['time', 'event', 'id', 'status', 'duration', 'error'];

function checkedSigningSecret(secret: string): string {
  const [, key = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  const bytes = Buffer.from(key, 'base64').length;
  if (bytes >= 24 && bytes <= 64) return secret;
  throw new UsageError('the signing secret must be whsec_ followed by 24 to 64 bytes in base64');
}
