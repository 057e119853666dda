import { createPrivateKey, type KeyObject, randomUUID, sign } from 'node:crypto';
import { SourceError } from '../connector.js';

/** Parses a private key for RS256 in PEM. Errors do not contain any part of it. */
export function signingKey(pem: string, secret: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    throw new SourceError(`the secret "${secret}" does not contain a private key in PEM format`, 'misconfigured');
  }
  if (key.asymmetricKeyType !== 'rsa')
    throw new SourceError(`the secret "${secret}" contains a key that is not an RSA key`, 'misconfigured');
  return key;
}

/** Creates a JSON Web Token (RFC 7519) signed with RS256 that expires after five minutes. */
export function signedJwt(key: KeyObject, claims: Readonly<Record<string, unknown>>, keyId?: string): string {
  const now = Math.floor(Date.now() / 1000);
  const head = { alg: 'RS256', typ: 'JWT', ...(keyId !== undefined && { kid: keyId }) };
  const body = { iat: now, exp: now + 300, jti: randomUUID(), ...claims };
  const signed = [head, body].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`;
}
