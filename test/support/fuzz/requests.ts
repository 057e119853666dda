import fc, { type Arbitrary } from 'fast-check';
import { type Operation, openApi } from '../documented-answers.js';
import { fromSchema, type Schema } from './from-schema.js';
import { type Json, mutated, oddText, oddValue } from './json-values.js';
import { scimOperations } from './scim-operations.js';

/** A request template: `<name:3>` is replaced with an id or key of that name in the current run. */
export interface FuzzRequest {
  method: string;
  /** The documented path. */
  route: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
  /** The body consists of bytes that are not UTF-8. */
  isBinary?: boolean;
}

export const paths: Record<string, Record<string, Operation>> = { ...openApi.paths, ...scimOperations };
const operations = Object.entries(paths).flatMap(([route, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), route, operation })),
);
export const operationCount = operations.length;

const idNames = [
  ...new Set(Object.keys(paths).flatMap((path) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => String(name)))),
].filter((name) => name !== 'id');
/** Every id in `/v1` is named `id`. */
const nameInPublicPath: Record<string, string> = {
  '/v1/identities': 'identityId',
  '/v1/users': 'userId',
  '/v1/sync/jobs': 'jobId',
  '/v1/webhooks': 'webhookId',
};
/** Limits, and settings that make other requests wait, are those of a spare tenant. */
const limits = /^P(UT|ATCH) .*\/(quotas|operator-policy|settings)$/;
/** Operations that remove resources or suspend the tenant use spare ids, because other requests need the rest. */
const destroys = /^DELETE |^PATCH \/admin\/v1\/tenants\/\{tenantId\}$|\/erase$|\/merge$|\/split$/;

/** Generates a random valid id. */
const idOf = (name: string): Arbitrary<string> => fc.nat(999).map((index) => `<${name}:${index}>`);

/** Values of strings whose meaning the schema does not define. */
const named = {
  callback_url: fc.webPath().map((path) => `https://receiver.invalid${path}`),
  connector_id: idOf('connectorId'),
  webhook_id: idOf('webhookId'),
  identity_id: idOf('spare-identityId'),
  from_ids: idOf('spare-identityId'),
  record_ids: idOf('userId'),
  expires_at: fc.constant('2999-01-01T00:00:00Z'),
  by: fc.constantFrom('ada', 'operator'),
  cursor: idOf('cursor'),
};

const often = <T>(weight: number, usual: Arbitrary<T>, ...others: Arbitrary<T>[]): Arbitrary<T> =>
  fc.oneof({ weight, arbitrary: usual }, ...others.map((arbitrary) => ({ weight: 1, arbitrary })));

/** Encodes a URL part. An unpaired surrogate has no UTF-8 encoding, so it is replaced. */
const encoded = (text: string) =>
  text.replace(/[^<>]+/gu, (part) => encodeURIComponent(part.replace(/\p{Surrogate}/gu, '\ufffd')));

const brokenEncoding = fc.constantFrom(
  '%',
  '%zz',
  '%ed%a0%80',
  '%ff',
  '%00',
  '..',
  '.',
  '%2e%2e%2f',
  '%2f',
  ';a=b',
  '*',
);

function pathId(route: string, method: string, name: string): Arbitrary<string> {
  const prefix = route.split('/{')[0] ?? '';
  const kind = name === 'id' ? (nameInPublicPath[prefix] ?? 'jobId') : name;
  const isLimited = name === 'tenantId' && limits.test(`${method} ${route}`);
  const isDestroyed = isLimited || (destroys.test(`${method} ${route}`) && route.endsWith(`{${name}}`));
  const spareOf = (each: string) => (isDestroyed ? `spare-${each}` : each);
  const valid = idOf(spareOf(kind));
  // There is one SCIM connector, which all SCIM requests need.
  const otherKinds = idNames.filter((each) => !isDestroyed || each !== 'scimConnectorId').map(spareOf);
  const usual = kind === 'tenantId' || kind === 'scimConnectorId' ? 60 : 12;
  return often(
    usual,
    valid,
    fc.constantFrom(...otherKinds).chain(idOf),
    valid.map((id) => `${id}0`),
    fc.constantFrom('con_', 'ten_01h00000000000000000000000', 'idn_8zzzzzzzzzzzzzzzzzzzzzzzzz', 'x'.repeat(5_000)),
    oddText.map(encoded),
    brokenEncoding,
  );
}

function queryOf({ parameters = [] }: Operation): Arbitrary<string> {
  const known = parameters.filter((parameter) => parameter.in === 'query');
  const one = (name: string, schema: Schema) =>
    often(6, fromSchema(schema, named, name).map(String), oddText).map((value) => `${encoded(name)}=${encoded(value)}`);
  const odd = fc.tuple(oddText, oddText).map(([name, value]) => `${encoded(name)}=${encoded(value)}`);
  const raw = fc.constantFrom(
    '&&=',
    'limit[]=1',
    'limit=1&limit=2',
    '__proto__[a]=1',
    'constructor=1',
    'limit=%',
    'a=%ff',
    '+',
  );
  const names = known.map(({ name, schema }) => one(name, schema as Schema));
  const pairs = fc.array(often(12, names.length > 0 ? fc.oneof(...names) : fc.constant(''), odd, raw), {
    maxLength: 4,
  });
  return often(
    1,
    fc.constant(''),
    pairs.map((list) => list.filter(Boolean).join('&')),
  );
}

const brokenJson = fc.constantFrom(
  '',
  '{',
  '{"a":1,}',
  '[1',
  '"',
  'nul',
  'NaN',
  '{"a":1e999}',
  '{"a":01}',
  '{"a":1}{"a":1}',
  '\ufeff{}',
  '{"__proto__":{"a":1}}',
  '{"constructor":{"prototype":{"a":1}}}',
  '{"a":"\\ud800"}',
  `${'['.repeat(3_000)}${']'.repeat(3_000)}`,
);
const tooLarge = fc.constant(`"${'x'.repeat(1024 * 1024)}"`);

function bodyOf({ requestBody }: Operation, method: string): Arbitrary<Pick<FuzzRequest, 'body' | 'isBinary'>> {
  const schema = Object.values(requestBody?.content ?? {})[0]?.schema as Schema | undefined;
  const none = fc.constant({});
  const broken = fc.oneof(
    { weight: 20, arbitrary: brokenJson.map((body) => ({ body })) },
    { weight: 1, arbitrary: tooLarge.map((body) => ({ body })) },
    { weight: 4, arbitrary: fc.constant({ body: '{"a":"\xff\xfe"}', isBinary: true }) },
  );
  const anything = oddValue.map((value) => ({ body: JSON.stringify(value) }));
  if (!schema) return often(method === 'GET' ? 30 : 8, none, anything, broken);
  const valid = fromSchema(schema, named);
  const text = (values: Arbitrary<Json>) => values.map((value) => ({ body: JSON.stringify(value) }));
  return fc.oneof(
    { weight: 8, arbitrary: text(valid) },
    { weight: 8, arbitrary: text(mutated(valid)) },
    { weight: 1, arbitrary: anything },
    { weight: 1, arbitrary: broken },
    { weight: 1, arbitrary: none },
  );
}

/** Generates credentials; templates are filled in when the request is sent. */
function callerOf(route: string): Arbitrary<Record<string, string>> {
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const key = (name: string) => ({ 'x-api-key': name });
  const right = route.startsWith('/admin/')
    ? bearer('<operator:0>')
    : route.startsWith('/scim/')
      ? bearer('<token:0>')
      : key('<key:0>');
  return often(
    16,
    fc.constant<Record<string, string>>(right),
    fc.constantFrom<Record<string, string>[]>(
      {},
      key('<otherKey:0>'),
      key('<narrowKey:0>'),
      key('<revokedKey:0>'),
      key('<key:0>x'),
      key('iss_'),
      key(`iss_01h00000000000000000000000_${'A'.repeat(43)}`),
      key('<token:0>'),
      key('<operator:0>'),
      key(''),
      key('a'.repeat(4_000)),
      bearer('<key:0>'),
      bearer('<token:0>'),
      bearer(''),
      { authorization: 'Basic Og==' },
      { authorization: 'Bearer' },
    ),
  );
}

const contentTypes = [
  'application/scim+json',
  'application/json; charset=utf-16',
  'application/json;;',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'json',
  '',
];
const oddHeaders: Record<string, string>[] = [
  { accept: 'text/html' },
  { 'accept-encoding': 'gzip, br' },
  { 'if-match': '*' },
  { 'if-match': 'W/"0"' },
  { 'if-none-match': '*' },
  { 'x-request-id': 'a'.repeat(200) },
  { 'x-forwarded-for': "' or 1=1" },
  { 'x-forwarded-proto': 'javascript' },
  { traceparent: '00-ffffffffffffffffffffffffffffffff-ffffffffffffffff-01' },
  { 'x-http-method-override': 'DELETE' },
  { 'idempotency-key': 'x' },
  { host: 'a b' },
  { host: 'example.com:99999' },
  { range: 'bytes=0-1' },
  { cookie: 'x'.repeat(17_000) },
];
const otherMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'];
const pathNoise = ['/', '//', '/..', '/%2e%2e', '%00', '/x', ';x', '.json', '/<spare-connectorId:0>'];

function requestOf({ method, route, operation }: (typeof operations)[number]): Arbitrary<FuzzRequest> {
  // A deletion under another operation would not use spare ids, so it would remove resources that are needed.
  const others = otherMethods.filter((other) => other !== 'DELETE' || !paths[route]?.delete);
  const ids = [...route.matchAll(/\{(\w+)\}/g)].map(([, name]) => String(name));
  return fc
    .record({
      method: often(24, fc.constant(method), fc.constantFrom(...others)),
      ids: fc.tuple(...ids.map((name) => pathId(route, method, name))),
      noise: often(60, fc.constant(''), fc.constantFrom(...pathNoise)),
      query: queryOf(operation),
      caller: callerOf(route),
      contentType: often(12, fc.constant('application/json'), fc.constantFrom(...contentTypes)),
      more: often(16, fc.constant<Record<string, string>>({}), fc.constantFrom(...oddHeaders)),
      body: bodyOf(operation, method),
    })
    .map(({ method: sent, ids: filled, noise, query, caller, contentType, more, body }) => {
      const path = ids.reduce((text, name, index) => text.replace(`{${name}}`, () => filled[index] ?? ''), route);
      return {
        method: sent,
        route,
        path: `${path}${noise}${query && `?${query}`}`,
        headers: {
          ...caller,
          ...(body.body !== undefined && contentType && { 'content-type': contentType }),
          ...more,
        },
        ...body,
      };
    });
}

/** Generates requests of all documented operations with equal probability. */
export const fuzzRequest: Arbitrary<FuzzRequest> = fc.oneof(...operations.map(requestOf));
