import { domainToASCII } from 'node:url';
import type { KeyNormaliser } from '@idsync/contracts';

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
