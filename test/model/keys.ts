// "Matching", "Several email addresses", "Match keys of a tenant" and "Values that are no match key" of
// docs/directory.md.
import type { Fields } from './types.js';

/** In the order of their rank. Two keys are attributes that the tenant has declared. */
export const tiers = [
  'employee_number',
  'attributes.national_id',
  'email',
  'user_principal_name',
  'attributes.badge',
] as const;
export type Tier = (typeof tiers)[number];

const permanent: readonly Tier[] = ['employee_number', 'attributes.national_id'];

/** Whether the value is given to others: addresses, and reusable attributes. */
export const isAddress = (tier: Tier): boolean => !permanent.includes(tier);
export const permanentTiers = tiers.filter((tier) => !isAddress(tier));

/** The values of the documentation that the generated sources contain, and those that the tenant has added. */
const placeholders = ['na', 'none', 'unknown'];
const noNumbers = ['external', 'contractor', 'ext1'];
const functions = ['info', 'office', 'noreply', 'support', 'admin', 'lobby'];

/** Returns the values by which a record is linked. All addresses of a record have the same rank. */
export function keysOf(fields: Fields, tier: Tier): string[] {
  const others = tier === 'email' ? (fields.other_emails ?? '').split(' ').sort() : [];
  return [...new Set([fields[tier] ?? '', ...others].flatMap((value) => keyOf(value, tier) ?? []))];
}

/** Without invisible characters, and with one form of each digit: those that the generated sources contain. */
export const comparedText = (said: string): string =>
  said
    .replace(/\u200b/g, '')
    .replace('１', '1')
    .trim()
    .toLowerCase();

function keyOf(said: string, tier: Tier): string | undefined {
  const value = comparedText(said);
  const letters = value.replace(/[^a-z0-9]/g, '');
  if (letters === '' || /^(0+|9{4,})$/.test(letters) || placeholders.includes(letters)) return undefined;
  if (tier === 'attributes.national_id') return noNumbers.includes(letters) ? undefined : letters;
  if (tier === 'attributes.badge') return isStopDigits(value) ? undefined : value.replace(/\D/g, '');
  if (tier === 'employee_number') return value.startsWith('-') || noNumbers.includes(letters) ? undefined : value;
  if (functions.includes(value.split('@')[0] ?? '')) return undefined;
  return tier === 'email' && !/^[^@\s]+@[^@\s]+\.[a-z]+$/.test(value) ? undefined : value;
}

const isStopDigits = (value: string): boolean => /^(0*|9{4,})$/.test(value.replace(/\D/g, ''));
