import { createHmac } from 'node:crypto';
import { decodeId, encodeId, idPrefixes } from '@idsync/contracts';

const form = /^iso_([0-9a-z]{26})_([A-Za-z0-9_-]{43})$/;

/** Returns whether a bearer token is a session: a program that signed in for a person has no cookie. */
export function isSession(text: string): boolean {
  return text.startsWith('iso_');
}

/** Formats the value of the cookie, `iso_<id>_<secret>`. */
export function formatSession(id: string, secret: string): string {
  return `iso_${encodeId('session', id).slice(idPrefixes.session.length + 1)}_${secret}`;
}

export function parseSession(text: string): { id: string; secret: string } | undefined {
  const [, body = '', secret = ''] = form.exec(text) ?? [];
  const id = decodeId('session', `${idPrefixes.session}_${body}`);
  return id === undefined ? undefined : { id, secret };
}

/**
 * Returns the hash to store: of the secret in the cookie, and of the setting that allowed the sign-in. A session ends when
 * that setting changes, and a reader of the database cannot guess the setting.
 */
export function boundHash(secret: string, setting: string): Buffer {
  return createHmac('sha256', secret).update(`session ${setting}`).digest();
}

/** Returns the CSRF token of a session. Derived, so that it is stored nowhere and does not reveal the cookie. */
export function csrfTokenOf(secret: string): string {
  return createHmac('sha256', secret).update('csrf').digest('base64url');
}
