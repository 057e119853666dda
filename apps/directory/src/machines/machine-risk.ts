import { type CountedFactor, isRealDate, parseDate, type RiskFactor } from '@idsync/contracts';
import type { Fields } from '../shared/collections.js';

export interface RiskFacts {
  /** Status in the API: `active | disabled | orphaned | decommissioned`. */
  status: string;
  /** Whether the effective owner is active, regardless of the machine's status. */
  hasActiveOwner: boolean;
  fields: Fields;
}

/** Points per factor, 100 in total. A factor without data adds nothing. */
export const weights: Readonly<Record<Exclude<RiskFactor, 'stated_by_source'>, number>> = {
  no_active_owner: 30,
  long_lived_secret: 20,
  over_privilege: 20,
  unused: 10,
  used_by_people: 10,
  shared: 10,
};

const dayMs = 24 * 60 * 60 * 1_000;
/** Maximum age of a secret and maximum time without use. */
export const maxAgeMs = 90 * dayMs;

/** Returns the risk score of a machine at a time, with its factors. A decommissioned machine has score 0. */
export function assessRisk(facts: RiskFacts, now: Date): { score: number; factors: CountedFactor[] } {
  if (facts.status === 'decommissioned') return { score: 0, factors: [] };
  const found: Record<keyof typeof weights, boolean> = {
    no_active_owner: !facts.hasActiveOwner,
    long_lived_secret: isOver(secretAge(facts.fields), now),
    over_privilege: isPrivileged(facts.fields),
    // A disabled machine is expected to be unused.
    unused: facts.status !== 'disabled' && isOver(timeOf(facts.fields, 'last_used_at'), now),
    used_by_people: isTrue(facts.fields, 'used_by_people') || isTrue(facts.fields, 'interactive'),
    shared: isTrue(facts.fields, 'shared') || valuesOf(facts.fields, 'workloads').length > 1,
  };
  const factors = Object.entries(weights).flatMap(([factor, points]): CountedFactor[] =>
    found[factor as keyof typeof weights] ? [{ factor: factor as RiskFactor, points }] : [],
  );
  const counted = factors.reduce((sum, { points }) => sum + points, 0);
  const stated = Number.parseInt(facts.fields.risk_score?.[0] ?? '', 10);
  // The source may have information that idsync lacks, and vice versa, so the higher score counts.
  if (!(stated > counted)) return { score: counted, factors };
  return { score: stated, factors: [...factors, { factor: 'stated_by_source', points: stated - counted }] };
}

/** Returns the time at which the next time-based factor applies, or undefined if there is none. */
export function nextReview(fields: Fields, now: Date): Date | undefined {
  const ahead = [secretAge(fields), timeOf(fields, 'last_used_at')]
    .flatMap((since) => (since === undefined ? [] : since + maxAgeMs))
    .filter((at) => at > now.getTime());
  return ahead.length > 0 ? new Date(Math.min(...ahead)) : undefined;
}

function secretAge(fields: Fields): number | undefined {
  return timeOf(fields, 'secret_rotated_at') ?? timeOf(fields, 'secret_created_at');
}

function isOver(since: number | undefined, now: Date): boolean {
  return since !== undefined && since + maxAgeMs <= now.getTime();
}

function timeOf(fields: Fields, name: string): number | undefined {
  const iso = parseDate(valuesOf(fields, name)[0] ?? '');
  return iso === undefined || !isRealDate(iso) ? undefined : Date.parse(iso);
}

const powerful =
  /(^|[^a-z])(admins?|administrators?|administratoren|root|superusers?|sudo(ers)?|owners?|full[ _-]?(access|control))([^a-z]|$)/i;

/**
 * Returns true for a machine marked as privileged or with an administrative role or group. For a DN, only the first RDN
 * counts.
 */
function isPrivileged(fields: Fields): boolean {
  const names = ['roles', 'groups', 'permissions'].flatMap((name) => valuesOf(fields, name));
  return (
    isTrue(fields, 'privileged') ||
    names.some((name) => name === '*' || powerful.test(/^\w+=((?:[^,\\]|\\.)*)/.exec(name)?.[1] ?? name))
  );
}

function isTrue(fields: Fields, name: string): boolean {
  return /^(true|yes|y|1)$/i.test(valuesOf(fields, name)[0] ?? '');
}

function valuesOf(fields: Fields, name: string): readonly string[] {
  return fields[`attributes.${name}`] ?? [];
}
