/** The roles people have for a machine identity, by the field in which a source names them. */
export const machineReferences = ['owned_by', 'manager_id', 'technical_inheritor'] as const;
export type MachineReference = (typeof machineReferences)[number];

/** What makes a machine identity a risk, after the OWASP Non-Human Identities Top 10 (2025). */
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

/** A factor that counts at present, and how much. */
export interface CountedFactor {
  factor: RiskFactor;
  points: number;
}
