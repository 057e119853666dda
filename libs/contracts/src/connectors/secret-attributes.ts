import type { z } from 'zod';
import type { FieldSource } from './field-map.js';

/** Secret attributes without a common pattern, without hyphens and in lower case. */
const named = new Set([
  'authpassword',
  'authauthority',
  'currentvalue',
  'initialauthincoming',
  'initialauthoutgoing',
  'krbextradata',
  'mskdsrootkeydata',
  'mstpmownerinformation',
  'mspkidpapimasterkeys',
  'orclcommonattribute',
  'peklist',
  'priorvalue',
  'saskeys',
  'userpkcs12',
  'userpkcs8',
]);

/**
 * Patterns for names without hyphens and in lower case. `pwdLastSet`, `badPasswordTime` and `secretary` are not
 * secrets.
 */
const patterns = [
  /(passw(or)?d|passphrase|pwd|rootpw|passcode|pincode)(s|hash(es)?|history|id|previousid|v2|\d+|encrypted)?$/,
  /(cleartext|(nt|lm)|password|pwd|verifier)hash(es)?$/,
  /secret(?!a)/,
  /trust(auth|pass)/,
  /pkcs(8|12)/,
  /(credentials?|credentialroamingtokens?|keytab)$/,
  /^msds(managedpassword|keycredential)/,
  /^ms(laps|mcsadm).*(password|pwd)/,
  /^msfve(recoverypassword|keypackage)/,
  /^krb\w*key$/,
  /(private|symmetric|wrapping|master|encryption|signing|session|seed|recovery|api|token|escrow)keys?(data|material)?$/,
  /([th]?otp|totp|hotp)(token)?(key|seed|code)s?$/,
  /(access|refresh|bearer|api|auth|session|login)tokens?$/,
  /(recovery|backup|scratch)codes?$/,
];

const objectIdentifier = /^(oid\.)?\d+(\.\d+)*$/i;

/**
 * Returns whether an attribute contains passwords, keys or equivalents, which are never requested, in any case and with
 * any options. An OID may represent any attribute, so it also counts as a secret.
 */
export function isSecretLdapAttribute(name: string): boolean {
  const base = name.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (objectIdentifier.test(base)) return true;
  const plain = base.replace(/[-_]/g, '');
  return named.has(plain) || patterns.some((pattern) => pattern.test(plain));
}

interface NamedSources {
  external_id?: string | undefined;
  fields?: Readonly<Record<string, FieldSource>> | undefined;
}

/** Returns the source fields of a mapping with their paths in the configuration. */
export function mappedNames({ external_id, fields = {} }: NamedSources): { path: string[]; name: string }[] {
  const found = Object.entries(fields).flatMap(([field, source]) => {
    const name = typeof source === 'string' ? source : 'from' in source ? source.from : undefined;
    return name === undefined ? [] : [{ path: ['fields', field], name }];
  });
  return external_id === undefined ? found : [{ path: ['external_id'], name: external_id }, ...found];
}

/** Rejects a mapping that reads a secret attribute. */
export function refuseSecretAttributes(mapping: NamedSources, context: z.RefinementCtx): void {
  for (const { path, name } of mappedNames(mapping)) {
    if (isSecretLdapAttribute(name)) context.addIssue({ code: 'custom', path, message: secretRefused(name) });
  }
}

/** Returns the error for a secret attribute. */
export function secretRefused(name: string): string {
  return objectIdentifier.test(name.trim())
    ? `${name} is an OID, which may represent a secret: use the attribute name`
    : `${name} contains a secret and cannot be read`;
}
