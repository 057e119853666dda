import { type CountedFactor, parseDate, type RiskFactor } from '@idsync/contracts';

type Fields = Readonly<Record<string, readonly string[]>>;

export interface RiskFacts {
  /** As the machine is shown: `active | disabled | orphaned | decommissioned`. */
  status: string;
  /** Whether an active person answers for it, whatever its status. */
  hasActiveOwner: boolean;
  fields: Fields;
}

/** What each factor adds. Together they are 100; one that nothing is known of adds nothing. */
export const weights: Readonly<Record<Exclude<RiskFactor, 'stated_by_source'>, number>> = {
  no_active_owner: 30,
  long_lived_secret: 20,
  over_privilege: 20,
  unused: 10,
  used_by_people: 10,
  shared: 10,
};

const dayMs = 24 * 60 * 60 * 1_000;
/** How old a secret may get, and how long a machine may stand idle. */
export const patienceMs = 90 * dayMs;

/** The score of a machine at a moment and what it is made of. What cannot be used any more is no risk. */
export function assessRisk(facts: RiskFacts, now: Date): { score: number; factors: CountedFactor[] } {
  if (facts.status === 'decommissioned') return { score: 0, factors: [] };
  const found: Record<keyof typeof weights, boolean> = {
    no_active_owner: !facts.hasActiveOwner,
    long_lived_secret: isOver(secretAge(facts.fields), now),
    over_privilege: isPrivileged(facts.fields),
    // A machine that is switched off is meant to stand idle.
    unused: facts.status !== 'disabled' && isOver(timeOf(facts.fields, 'last_used_at'), now),
    used_by_people: isTrue(facts.fields, 'used_by_people') || isTrue(facts.fields, 'interactive'),
    shared: isTrue(facts.fields, 'shared') || valuesOf(facts.fields, 'workloads').length > 1,
  };
  const factors = Object.entries(weights).flatMap(([factor, points]): CountedFactor[] =>
    found[factor as keyof typeof weights] ? [{ factor: factor as RiskFactor, points }] : [],
  );
  const counted = factors.reduce((sum, { points }) => sum + points, 0);
  const stated = Number.parseInt(facts.fields.risk_score?.[0] ?? '', 10);
  // Each side may know what the other cannot see: the higher of the two counts.
  if (!(stated > counted)) return { score: counted, factors };
  return { score: stated, factors: [...factors, { factor: 'stated_by_source', points: stated - counted }] };
}

/** When time alone adds the next factor; undefined if it adds none. */
export function nextReview(fields: Fields, now: Date): Date | undefined {
  const ahead = [secretAge(fields), timeOf(fields, 'last_used_at')]
    .flatMap((since) => (since === undefined ? [] : since + patienceMs))
    .filter((at) => at > now.getTime());
  return ahead.length > 0 ? new Date(Math.min(...ahead)) : undefined;
}

function secretAge(fields: Fields): number | undefined {
  return timeOf(fields, 'secret_rotated_at') ?? timeOf(fields, 'secret_created_at');
}

function isOver(since: number | undefined, now: Date): boolean {
  return since !== undefined && since + patienceMs <= now.getTime();
}

function timeOf(fields: Fields, name: string): number | undefined {
  const iso = parseDate(valuesOf(fields, name)[0] ?? '');
  return iso === undefined ? undefined : Date.parse(iso);
}

const powerful =
  /(^|[^a-z])(admins?|administrators?|administratoren|root|superusers?|sudo(ers)?|owners?|full[ _-]?(access|control))([^a-z]|$)/i;

/** Said so, or in a role or group that may do everything; of a group's distinguished name its own name counts. */
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
