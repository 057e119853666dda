import { readFileSync } from 'node:fs';
import { openApiDocument } from '@idsync/contracts';
import { version } from '@idsync/runtime';
import { Controller, Get, Header, Redirect, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Access } from '../access/access.decorator.js';
import { policyOfReference } from '../http/content-security-policy.js';
import { CompressedText } from './compressed-text.js';

const cached = 'public, max-age=300';

/** Literal URLs, which the bundler recognizes and replaces. The viewer is a file for browsers, which no module imports. */
const files = {
  page: new URL('../../assets/reference.html', import.meta.url),
  script: new URL('../../assets/reference.js', import.meta.url),
  viewer: new URL('../../../../node_modules/@scalar/fastify-api-reference/dist/js/standalone.js', import.meta.url),
};

/**
 * Serves `/openapi.json` and the API reference at `/docs`, compressed and without external resources. Each is made at its
 * first request: making the document takes a quarter of the CPU time of a start, and most gateways are never asked for it.
 */
@Controller()
@Access('none')
export class ReferenceController {
  private readonly json = new CompressedText(() => JSON.stringify(openApiDocument(version)));
  private readonly page = new CompressedText(() => readFileSync(files.page, 'utf8'));
  private readonly script = new CompressedText(() => readFileSync(files.script, 'utf8'));
  private readonly viewer = new CompressedText(() => readFileSync(files.viewer, 'utf8'));

  @Get('openapi.json')
  @Header('content-type', 'application/json; charset=utf-8')
  openApi(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<Buffer> {
    return this.json.send(request, reply);
  }

  @Get()
  @Redirect('/docs', 302)
  root(): void {}

  @Get('docs')
  @Header('content-security-policy', policyOfReference)
  @Header('content-type', 'text/html; charset=utf-8')
  docs(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<Buffer> {
    return this.page.send(request, reply);
  }

  @Get('docs/reference.js')
  @Header('cache-control', cached)
  @Header('content-type', 'text/javascript; charset=utf-8')
  js(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<Buffer> {
    return this.script.send(request, reply);
  }

  @Get('docs/viewer.js')
  @Header('cache-control', cached)
  @Header('content-type', 'text/javascript; charset=utf-8')
  viewerJs(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<Buffer> {
    return this.viewer.send(request, reply);
  }
}
