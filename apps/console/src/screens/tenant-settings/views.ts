export const settingsViews = ['general', 'operators', 'people', 'findings', 'quotas'] as const;
export type SettingsView = (typeof settingsViews)[number];

export const viewNames: Record<SettingsView, string> = {
  general: 'General',
  operators: 'Operators',
  people: 'Joiners and leavers',
  findings: 'Findings',
  quotas: 'Quotas',
};
