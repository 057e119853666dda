export const rulesViews = ['matching', 'precedence'] as const;
export type RulesView = (typeof rulesViews)[number];
