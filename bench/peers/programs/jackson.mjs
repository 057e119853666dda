// A program: the SCIM service of Jackson, embedded with PostgreSQL, behind a plain HTTP server. Arguments: database url,
// port. It creates a directory for each POST to /directories.
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import saml from '@boxyhq/saml-jackson';

const [, , databaseUrl, port] = process.argv;
// It reports each user of a directory without a webhook as an error.
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
const { directorySyncController } = await saml.default({
  externalUrl: `http://127.0.0.1:${port}`,
  samlAudience: 'https://bench.example',
  samlPath: '/saml',
  noAnalytics: true,
  logger: quiet,
  db: { engine: 'sql', type: 'postgres', url: databaseUrl, manualMigration: false },
});

const server = createServer(async (request, response) => {
  try {
    const { status, data } = await answer(request);
    response.writeHead(status, { 'content-type': 'application/scim+json' }).end(JSON.stringify(data ?? {}));
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
});
server.keepAliveTimeout = 60_000;
server.listen(Number(port), '127.0.0.1', () => process.stdout.write('ready\n'));

async function answer(request) {
  const { pathname, searchParams } = new URL(request.url, 'http://127.0.0.1');
  const [, root, directoryId, resourceType, resourceId] = pathname.split('/');
  if (root === 'directories') return createDirectory();
  const body = request.method === 'GET' ? undefined : await json(request);
  return directorySyncController.requests.handle({
    method: request.method,
    body,
    directoryId,
    resourceType: resourceType.toLowerCase(),
    resourceId,
    apiSecret: request.headers.authorization?.split(' ')[1] ?? null,
    query: Object.fromEntries(searchParams),
  });
}

async function createDirectory() {
  const name = crypto.randomUUID();
  const { data, error } = await directorySyncController.directories.create({
    tenant: name,
    product: 'bench',
    name,
    type: 'okta-scim-v2',
  });
  if (error) throw new Error(error.message);
  return { status: 201, data: { id: data.id, secret: data.scim.secret } };
}
