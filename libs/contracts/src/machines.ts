/** The roles that people have for a machine identity, named after the source field that refers to them. */
export const machineReferences = ['owned_by', 'manager_id', 'technical_inheritor'] as const;
export type MachineReference = (typeof machineReferences)[number];

/** Risk factors of a machine identity, after the OWASP Non-Human Identities Top 10 (2025). */
export const riskFactors = [
  'no_active_owner',
  'long_lived_secret',
  'over_privilege',
  'unused',
  'used_by_people',
  'shared',
  'stated_by_source',
] as const;
export type RiskFactor = (typeof riskFactors)[number];

/** A factor that currently applies, and its points. */
export interface CountedFactor {
  factor: RiskFactor;
  points: number;
}
