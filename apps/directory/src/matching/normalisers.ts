import { domainToASCII } from 'node:url';
import { comparedText, type KeyNormaliser } from '@idsync/contracts';
import { isPlaceholder } from './stop-values.js';

/** Each takes a value of `comparedText`, and returns undefined if nothing of it can be a key. */
export const normalisers: Readonly<Record<KeyNormaliser, (text: string) => string | undefined>> = {
  exact: (text) => text,
  case: (text) => text.toLowerCase(),
  digits: (text) => text.replace(/\D/g, ''),
  alphanumeric: (text) => text.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]/gu, ''),
  number_without_zeros: (text) => text.toLowerCase().replace(/^0+(?=.)/, ''),
  email: mailAddress,
  phone: (text) => {
    const digits = text.replace(/\D/g, '');
    // Prefixes vary, and fewer digits are an extension.
    return digits.length < 6 ? undefined : digits.slice(-9);
  },
};

/** Returns an address in lower case, with an international domain in its ASCII form (`xn--…`). */
export function mailAddress(text: string): string | undefined {
  const address = text.toLowerCase();
  const at = address.lastIndexOf('@');
  if (at < 0) return address;
  const domain = domainToASCII(address.slice(at + 1));
  return domain === '' ? undefined : `${address.slice(0, at + 1)}${domain}`;
}

/**
 * Normalises a value for comparison; undefined for a placeholder. A phone number is reduced to its last nine digits,
 * because prefixes vary.
 */
export function comparable(value: string | undefined): string | undefined {
  const text = value && comparedText(value).toLowerCase().replace(/\s+/g, ' ');
  if (!text || isPlaceholder(text)) return undefined;
  const digits = text.replace(/\D/g, '');
  const isPhone = digits.length >= 6 && /^[\d\s()+./-]+$/.test(text);
  return isPhone ? digits.slice(-9) : text.slice(0, 200);
}
