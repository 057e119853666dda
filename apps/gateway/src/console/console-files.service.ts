import type { GatewayConfig } from '@idsync/runtime';
import { Injectable } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { contentSecurityPolicy, policyWithin } from '../http/content-security-policy.js';
import { servePage } from './serve-page.js';

/** Registers the console and the subscriber portal in Fastify, beside the routes of NestJS. */
@Injectable()
export class ConsoleFiles {
  constructor({ httpAdapter }: HttpAdapterHost, config: ConfigService<GatewayConfig, true>) {
    const server = httpAdapter.getInstance<FastifyInstance>();
    const ancestors = config.get('PORTAL_FRAME_ANCESTORS', { infer: true });
    const pages = [
      { prefix: '/console', file: 'index.html', policy: contentSecurityPolicy },
      { prefix: '/portal', file: 'portal.html', policy: policyWithin(ancestors) },
    ];
    for (const page of pages) {
      server.register((scope) => servePage(scope, page), { prefix: page.prefix });
    }
  }
}
