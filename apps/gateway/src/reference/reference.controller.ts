import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { openApiDocument } from '@idsync/contracts';
import { Controller, Get, Header, Redirect } from '@nestjs/common';
import { Access } from '../access/access.decorator.js';

const require = createRequire(import.meta.url);
const version = '0.1.0';
const cached = 'public, max-age=86400';
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

/** Serves `/openapi.json` and the API reference at `/docs`, without external resources. */
@Controller()
@Access('none')
export class ReferenceController {
  private readonly document = JSON.stringify(openApiDocument(version));
  private readonly css = readFileSync(require.resolve('swagger-ui-dist/swagger-ui.css'));
  private readonly bundle = readFileSync(require.resolve('swagger-ui-dist/swagger-ui-bundle.js'));

  @Get('openapi.json')
  @Header('content-type', 'application/json; charset=utf-8')
  openApi(): string {
    return this.document;
  }

  @Get()
  @Redirect('/docs', 302)
  root(): void {}

  @Get('docs')
  @Header('content-security-policy', csp)
  @Header('content-type', 'text/html; charset=utf-8')
  docs(): string {
    return page;
  }

  @Get('docs/start.js')
  @Header('content-type', 'text/javascript')
  start(): string {
    return start;
  }

  @Get('docs/swagger-ui.css')
  @Header('cache-control', cached)
  @Header('content-type', 'text/css')
  swaggerCss(): Buffer {
    return this.css;
  }

  @Get('docs/swagger-ui-bundle.js')
  @Header('cache-control', cached)
  @Header('content-type', 'text/javascript')
  swaggerBundle(): Buffer {
    return this.bundle;
  }
}
