import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { openApiDocument } from '@idsync/contracts';
import type { FastifyInstance } from 'fastify';

const require = createRequire(import.meta.url);
const assets = { 'swagger-ui.css': 'text/css', 'swagger-ui-bundle.js': 'text/javascript' } as const;
const csp =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'";

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>idsync API</title>
    <link rel="stylesheet" href="/docs/swagger-ui.css">
  </head>
  <body>
    <div id="reference"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

const start = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  docExpansion: 'list',
  validatorUrl: null,
});
`;

/** Serves `/openapi.json` and the reference at `/docs`, with every byte from this package. */
export async function registerReferencePage(server: FastifyInstance, version: string): Promise<void> {
  const document = JSON.stringify(openApiDocument(version));
  server.get('/openapi.json', (_request, reply) => reply.type('application/json; charset=utf-8').send(document));
  server.get('/', (_request, reply) => reply.redirect('/docs', 302));
  server.get('/docs', (_request, reply) =>
    reply.header('content-security-policy', csp).type('text/html; charset=utf-8').send(page),
  );
  server.get('/docs/start.js', (_request, reply) => reply.type('text/javascript').send(start));
  for (const [name, type] of Object.entries(assets)) {
    const content = await readFile(require.resolve(`swagger-ui-dist/${name}`));
    server.get(`/docs/${name}`, (_request, reply) =>
      reply.header('cache-control', 'public, max-age=86400').type(type).send(content),
    );
  }
}
