import { createHash, createHmac } from 'node:crypto';
import type { Authentication } from '../http/authentication.js';
import type { HttpRequest } from '../http/http-transport.js';

export interface AwsCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string | undefined;
}

export interface SigningScope {
  region: string;
  service: string;
}

const algorithm = 'AWS4-HMAC-SHA256';

/** Signs requests with AWS Signature Version 4 in headers: host, content type, date, session token and body. */
export function sigv4(credentials: AwsCredentials, scope: SigningScope, now = () => new Date()): Authentication {
  const { secretAccessKey, sessionToken } = credentials;
  return {
    headers: async (request) => signatureHeaders(request, credentials, scope, now()),
    secrets: () => [secretAccessKey, ...(sessionToken === undefined ? [] : [sessionToken])],
  };
}

export function signatureHeaders(
  { method, url, headers, body = '' }: HttpRequest,
  { accessKeyId, secretAccessKey, sessionToken }: AwsCredentials,
  { region, service }: SigningScope,
  now: Date,
): Record<string, string> {
  const time = now.toISOString().replace(/[-:]|\.\d{3}/g, '');
  const day = time.slice(0, 8);
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  const added = { 'x-amz-date': time, ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }) };
  const signed = Object.entries({ host: url.host, ...(type !== undefined && { 'content-type': type }), ...added })
    .map(([name, value]) => [name, value.trim().replace(/\s+/g, ' ')] as const)
    .sort(byName);
  const names = signed.map(([name]) => name).join(';');
  const canonical = [
    method,
    url.pathname.split('/').map(encode).join('/'),
    canonicalQuery(url),
    ...signed.map(([name, value]) => `${name}:${value}`),
    '',
    names,
    sha256(body),
  ].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  const signature = hmac(key, [algorithm, time, scope, sha256(canonical)].join('\n')).toString('hex');
  return {
    ...added,
    authorization: `${algorithm} Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

function canonicalQuery(url: URL): string {
  return [...url.searchParams]
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .sort((a, b) => byName(a, b) || (a[1] < b[1] ? -1 : 1))
    .map((pair) => pair.join('='))
    .join('&');
}

function byName([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Percent-encodes everything except the unreserved characters of RFC 3986. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
