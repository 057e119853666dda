import { routes } from '@idsync/contracts';
import { createTestDatabase, type TestDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/internal';
import { MetadataScanner, ModulesContainer, Reflector } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { RouteOptions } from 'fastify';
import { gatewayConfig } from '../../test/gateway-config.js';
import { createGateway } from '../start.js';
import { Access } from './access.decorator.js';

let database: TestDatabase;
let app: NestFastifyApplication;
const registered: string[] = [];

beforeAll(async () => {
  registered.length = 0;
  database = await createTestDatabase();
  app = await createGateway(gatewayConfig(database.url));
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRoute', ({ method, url }: RouteOptions) => {
      registered.push(`${Array.isArray(method) ? 'ALL' : method} ${url}`);
    });
  await app.init();
});

afterAll(async () => {
  await app?.close();
  await database?.drop();
});

const listed = (paths: string | string[]) => (Array.isArray(paths) ? paths : [paths]);

/** Returns the declared access of each route of a controller, also of those that it inherits. */
function declaredBy(controller: Type<object>): [string, unknown][] {
  const prefix: string = Reflect.getMetadata(PATH_METADATA, controller);
  return new MetadataScanner().getAllMethodNames(controller.prototype).flatMap((name) => {
    const handler = controller.prototype[name];
    const paths: string | string[] | undefined = Reflect.getMetadata(PATH_METADATA, handler);
    if (paths === undefined) return [];
    const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler)];
    const access = new Reflector().getAllAndOverride(Access, [handler, controller]) ?? 'not declared';
    return listed(paths).map((path): [string, unknown] => [
      `${method} /${[prefix, path]
        .map((part) => part.replaceAll(/^\/|\/$/g, ''))
        .filter(Boolean)
        .join('/')}`,
      access,
    ]);
  });
}

const declared = () =>
  [...app.get(ModulesContainer).values()].flatMap(({ controllers }) =>
    [...controllers.values()].flatMap(({ metatype }) => declaredBy(metatype as Type<object>)),
  );

describe('the access of a route', () => {
  it('is declared for every route as in the contracts', () => {
    const inContracts = routes.map(({ method, path, auth }) => [
      `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
      auth,
    ]);
    const reference = ['', 'docs', 'docs/viewer.js', 'docs/reference.js', 'openapi.json'];
    const discovery = [
      ...['ServiceProviderConfig', 'ResourceTypes', 'ResourceTypes/:name', 'Schemas', 'Schemas/:urn'].map(
        (path) => `GET ${path}`,
      ),
      ...['Bulk', 'Me'].map((path) => `ALL ${path}`),
    ];
    const reader = ['Users', 'Groups'].flatMap((kinds) => [
      ...[`GET ${kinds}`, `POST ${kinds}`, `POST ${kinds}/.search`],
      ...['GET', 'PUT', 'PATCH', 'DELETE'].map((method) => `${method} ${kinds}/:id`),
    ]);
    const scim = [
      ...['GET', 'POST'].map((method) => `${method} :kinds`),
      ...['GET', 'PUT', 'PATCH', 'DELETE'].map((method) => `${method} :kinds/:id`),
      ...discovery,
    ];
    expect(Object.fromEntries(declared())).toEqual({
      ...Object.fromEntries(inContracts),
      ...Object.fromEntries(reference.map((path) => [`GET /${path}`, 'none'])),
      ...Object.fromEntries(scim.map((route) => [route.replace(' ', ' /scim/v2/:connectorId/'), 'scim-token'])),
      ...Object.fromEntries([...discovery, ...reader].map((route) => [route.replace(' ', ' /scim/v2/'), 'scim-key'])),
    });
  });

  it('is checked by the Nest guard, because Fastify has no routes besides those of controllers', () => {
    const withoutHead = registered.filter((route) => !route.startsWith('HEAD '));
    expect(withoutHead.sort()).toEqual(
      declared()
        .map(([route]) => route)
        .sort(),
    );
  });
});
