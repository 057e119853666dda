import { createPrivateKey, type KeyObject, randomUUID, sign } from 'node:crypto';
import { SourceError } from '../connector.js';

/** A private key for RS256, of PEM; the message of a SourceError shows nothing of it. */
export function signingKey(pem: string, secret: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    throw new SourceError(`the secret "${secret}" holds no private key in PEM`);
  }
  if (key.asymmetricKeyType !== 'rsa') throw new SourceError(`the secret "${secret}" holds a key that is not RSA`);
  return key;
}

/** A JSON Web Token (RFC 7519) signed with RS256, good for some minutes from now. */
export function signedJwt(key: KeyObject, claims: Readonly<Record<string, unknown>>, keyId?: string): string {
  const now = Math.floor(Date.now() / 1000);
  const head = { alg: 'RS256', typ: 'JWT', ...(keyId !== undefined && { kid: keyId }) };
  const body = { iat: now, exp: now + 300, jti: randomUUID(), ...claims };
  const signed = [head, body].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`;
}
