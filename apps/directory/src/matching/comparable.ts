import { comparedText } from '@idsync/contracts';
import { isPlaceholder } from './stop-values.js';

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
