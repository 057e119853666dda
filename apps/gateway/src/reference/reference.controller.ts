import { readFileSync } from 'node:fs';
import { openApiDocument } from '@idsync/contracts';
import { Controller, Get, Header, Redirect, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Access } from '../access/access.decorator.js';
import { contentSecurityPolicy } from '../http/content-security-policy.js';
import { CompressedText } from './compressed-text.js';
import type { OpenApiDocument } from './openapi-document.js';
import { renderReference } from './render-reference.js';

const version = '0.1.0';
const cached = 'public, max-age=300';

/** Literal URLs, which the bundler recognizes and replaces. */
const assets = {
  style: new URL('../../assets/reference.css', import.meta.url),
  script: new URL('../../assets/reference.js', import.meta.url),
};

/**
 * Serves `/openapi.json` and the API reference at `/docs`, compressed and without external resources. Each is made at its
 * first request: making the document takes a quarter of the CPU time of a start, and most gateways are never asked for it.
 */
@Controller()
@Access('none')
export class ReferenceController {
  private readonly json = new CompressedText(() => JSON.stringify(openApiDocument(version)));
  private readonly style = new CompressedText(() => readFileSync(assets.style, 'utf8'));
  private readonly script = new CompressedText(() => readFileSync(assets.script, 'utf8'));
  private readonly page = new CompressedText(() =>
    renderReference(openApiDocument(version) as unknown as OpenApiDocument),
  );

  @Get('openapi.json')
  @Header('content-type', 'application/json; charset=utf-8')
  openApi(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<Buffer> {
    return this.json.send(request, reply);
  }

  @Get()
  @Redirect('/docs', 302)
  root(): void {}

  @Get('docs')
  @Header('content-security-policy', contentSecurityPolicy)
  @Header('content-type', 'text/html; charset=utf-8')
  docs(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<Buffer> {
    return this.page.send(request, reply);
  }

  @Get('docs/reference.css')
  @Header('cache-control', cached)
  @Header('content-type', 'text/css; charset=utf-8')
  css(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<Buffer> {
    return this.style.send(request, reply);
  }

  @Get('docs/reference.js')
  @Header('cache-control', cached)
  @Header('content-type', 'text/javascript; charset=utf-8')
  js(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<Buffer> {
    return this.script.send(request, reply);
  }
}
