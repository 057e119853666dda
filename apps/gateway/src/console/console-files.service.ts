import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { serveConsole } from './serve-console.js';

/** Registers the console in Fastify, beside the routes of NestJS. */
@Injectable()
export class ConsoleFiles {
  constructor({ httpAdapter }: HttpAdapterHost) {
    httpAdapter.getInstance<FastifyInstance>().register(serveConsole, { prefix: '/console' });
  }
}
