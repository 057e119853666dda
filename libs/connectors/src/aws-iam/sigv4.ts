import { AwsV4Signer } from 'aws4fetch';
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

/** Signs requests with AWS Signature Version 4 in headers: host, content type, date, session token and body. */
export function sigv4(credentials: AwsCredentials, scope: SigningScope): Authentication {
  const { secretAccessKey, sessionToken } = credentials;
  return {
    headers: (request) => signatureHeaders(request, credentials, scope),
    secrets: () => [secretAccessKey, ...(sessionToken === undefined ? [] : [sessionToken])],
  };
}

export async function signatureHeaders(
  { method, url, headers, body }: HttpRequest,
  { sessionToken, ...keys }: AwsCredentials,
  scope: SigningScope,
  datetime?: string,
): Promise<Record<string, string>> {
  const signer = new AwsV4Signer({
    ...keys,
    ...scope,
    ...(sessionToken !== undefined && { sessionToken }),
    ...(datetime !== undefined && { datetime }),
    method,
    url: url.href,
    // A proxy may change the others.
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() === 'content-type')),
    body: body ?? '',
    allHeaders: true,
  });
  const signed = await signer.sign();
  return Object.fromEntries(
    [...signed.headers].filter(([name]) => name === 'authorization' || name.startsWith('x-amz-')),
  );
}
