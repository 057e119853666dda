import { entryOf, type Tone } from '../../components/words';
import type { MachineIdentityDetails } from '../../data/api';

type Factor = MachineIdentityDetails['risk_factors'][number]['factor'];
type Person = MachineIdentityDetails['people'][number];

const factorWords: Record<Factor, string> = {
  no_active_owner: 'It has no active owner',
  long_lived_secret: 'Its secret has not been rotated for a long time',
  over_privilege: 'It has rights of an administrator',
  unused: 'It has not been used for a long time',
  used_by_people: 'People sign in with it',
  shared: 'Several workloads share it',
  stated_by_source: 'Its source states a higher risk',
};

const factorReasons: Record<Factor, string> = {
  no_active_owner: 'No person of the directory is responsible for it now.',
  long_lived_secret: 'The last rotation was more than 90 days ago.',
  over_privilege: 'It is marked as privileged, or has an administrative role or group.',
  unused: 'It was last used more than 90 days ago.',
  used_by_people: 'It is meant for software: an action cannot be traced to a person.',
  shared: 'A leaked secret affects each of them.',
  stated_by_source: 'The higher score counts.',
};

/** A factor of the risk score in words; one of a later version by its name. */
export function describeFactor(factor: string): { title: string; reason?: string } {
  const title = entryOf(factorWords, factor);
  return title ? { title, reason: factorReasons[factor as Factor] } : { title: factor.replaceAll('_', ' ') };
}

export const roleNames: Record<Person['role'], string> = {
  owned_by: 'Owner',
  manager_id: 'Manager',
  technical_inheritor: 'Successor',
};

/** Why a role has no person, in one sentence; undefined if it has one. */
export function describeMissing({ role, named, identity_id }: Person): string | undefined {
  if (identity_id) return undefined;
  if (named) return 'No person of the directory was found for this value.';
  return {
    owned_by: 'No owner: its source names no responsible person.',
    manager_id: 'Its source names none.',
    technical_inheritor: 'Its source names none: the machine is orphaned when its owner leaves.',
  }[role];
}

export function toneOfRisk(score: number): Tone {
  return score >= 80 ? 'bad' : score >= 50 ? 'warn' : 'neutral';
}
