// Writes down the statements that services send for a tenant or across tenants, for `check-statements.mjs`.
const { createHash } = require('node:crypto');
const { existsSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const pg = require('pg');

const folder = process.env.IDSYNC_TEST_STATEMENTS;
/** The transaction of a connection: of `one` tenant, or across `all`. */
const scopes = new WeakMap();
const written = new Set();
const { query } = pg.Client.prototype;

pg.Client.prototype.query = function logged(config, ...rest) {
  const text = config?.text ?? config;
  if (folder && typeof text === 'string') note(this, text);
  return query.call(this, config, ...rest);
};

function note(client, text) {
  if (/^begin\b/i.test(text)) scopes.set(client, scopeOf(text));
  else if (/^(commit|rollback)$/i.test(text)) scopes.delete(client);
  const scope = scopes.get(client);
  if (!scope || !/^\s*(select|with|insert|update|delete)\b/i.test(text) || written.has(scope + text)) return;
  written.add(scope + text);
  const from = sender();
  // Specs look and prepare as they like.
  if (!from || /\.spec\.ts|\/test\//.test(from)) return;
  const file = join(
    folder,
    createHash('sha256')
      .update(scope + text)
      .digest('hex'),
  );
  if (!existsSync(file)) writeFileSync(file, JSON.stringify({ scope, text, from }));
}

function scopeOf(begin) {
  const tenant = /idsync\.tenant_id = '([^']+)'/.exec(begin)?.[1];
  if (tenant === undefined) return 'all';
  // An id of zeros is no tenant.
  return /[1-9a-f]/.test(tenant) ? 'one' : undefined;
}

/** The line of the project that sent the statement, beyond the classes that send all of them. */
function sender() {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 50;
  const lines = new Error().stack
    .split('\n')
    .flatMap((line) => /\/((?:apps|libs|test)\/[^:]+\.ts:\d+)/.exec(line)?.[1] ?? []);
  Error.stackTraceLimit = stackTraceLimit;
  return lines.find(
    (line) =>
      !/database\/src\/(run-transaction|single-statement|database|service-client|rows|read-replica|gateway\/page)\.ts/.test(
        line,
      ),
  );
}
