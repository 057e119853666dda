import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import { errorTexts } from '@idsync/contracts';
import type { FastifyInstance, FastifyReply } from 'fastify';

const hashed = 'public, max-age=31536000, immutable';
/** The bundler copies the console beside the chunks of the programs. */
const bundled = join(fileURLToPath(import.meta.url), '../../console/static');
const folder = existsSync(bundled) ? bundled : builtFolder();

interface ServedPage {
  prefix: string;
  file: string;
  policy: string;
}

/**
 * Serves a page of the built console and its files below a prefix. Files with a hash in their names are cached permanently;
 * the page itself is requested again each time, and is the answer to every path of a screen.
 */
export async function servePage(server: FastifyInstance, { prefix, file, policy }: ServedPage): Promise<void> {
  server.addHook('onRequest', (_request, reply, done) => {
    reply.header('content-security-policy', policy);
    done();
  });
  // Not built, as in tests of the gateway alone.
  if (!existsSync(folder)) return;
  const page = (reply: FastifyReply) => reply.header('cache-control', 'no-cache').sendFile(file);
  server.get('/', (_request, reply) => page(reply));
  server.setNotFoundHandler((request, reply) => {
    const isScreen = request.method === 'GET' && !request.url.startsWith(`${prefix}/assets/`);
    return isScreen ? page(reply) : reply.code(404).send({ error: errorTexts.notFound });
  });
  await server.register(fastifyStatic, {
    root: folder,
    preCompressed: true,
    index: false,
    cacheControl: false,
    // Another page has another policy: the console must not be framed by who may frame the portal.
    allowedPath: (path) => !path.includes('.html') || path.replace(/^\/+/, '') === file,
    setHeaders: (reply, path) => {
      if (path.includes('/static/assets/')) reply.setHeader('cache-control', hashed);
    },
  });
}

function builtFolder(): string {
  const require = createRequire(import.meta.url);
  return join(require.resolve('@idsync/console/package.json'), '../dist/static');
}
