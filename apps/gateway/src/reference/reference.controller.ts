import { readFileSync } from 'node:fs';
import { openApiDocument } from '@idsync/contracts';
import { Controller, Get, Header, Redirect } from '@nestjs/common';
import { Access } from '../access/access.decorator.js';
import { contentSecurityPolicy } from '../http/content-security-policy.js';
import type { OpenApiDocument } from './openapi-document.js';
import { renderReference } from './render-reference.js';

const version = '0.1.0';
const cached = 'public, max-age=300';

/** Literal URLs, which the bundler recognizes and replaces. */
const assets = {
  style: new URL('../../assets/reference.css', import.meta.url),
  script: new URL('../../assets/reference.js', import.meta.url),
};

/** Serves `/openapi.json` and the API reference at `/docs`, without external resources. */
@Controller()
@Access('none')
export class ReferenceController {
  private readonly document = openApiDocument(version);
  private readonly json = JSON.stringify(this.document);
  private readonly style = readFileSync(assets.style, 'utf8');
  private readonly script = readFileSync(assets.script, 'utf8');
  private page: string | undefined;

  @Get('openapi.json')
  @Header('content-type', 'application/json; charset=utf-8')
  openApi(): string {
    return this.json;
  }

  @Get()
  @Redirect('/docs', 302)
  root(): void {}

  @Get('docs')
  @Header('content-security-policy', contentSecurityPolicy)
  @Header('content-type', 'text/html; charset=utf-8')
  docs(): string {
    // Rendered once, at the first request, because most gateways are never asked for it.
    this.page ??= renderReference(this.document as unknown as OpenApiDocument);
    return this.page;
  }

  @Get('docs/reference.css')
  @Header('cache-control', cached)
  @Header('content-type', 'text/css; charset=utf-8')
  css(): string {
    return this.style;
  }

  @Get('docs/reference.js')
  @Header('cache-control', cached)
  @Header('content-type', 'text/javascript; charset=utf-8')
  js(): string {
    return this.script;
  }
}
