import { useState } from 'react';
import type { QuotaUsage, Tenant } from '../../data/api';
import { General } from './general';
import { isChangedQuota, type QuotaInput } from './quota-input';
import { Quotas } from './quotas';
import styles from './settings.module.css';
import { SettingsForm } from './settings-form';
import { changesIn, type SettingsDraft, type SettingsSection, settingsOf } from './settings-input';
import { SettingsNav } from './settings-nav';
import type { Settings } from './settings-queries';
import type { SettingsView } from './views';

interface SettingsSectionsProps {
  view: SettingsView;
  tenant: Tenant;
  settings: Settings;
  quotas: QuotaUsage;
  mayChange: boolean;
  /** Operators of all tenants also change names and quotas. */
  isInstallation: boolean;
}

/** The current section beside the list of all. What was entered in the others is kept here until it is saved. */
export function SettingsSections(props: SettingsSectionsProps) {
  const { view, tenant, settings, quotas, mayChange, isInstallation } = props;
  const [draft, setDraft] = useState<SettingsDraft>({});
  const [quotaDraft, setQuotaDraft] = useState<QuotaInput>({});
  const sections = Object.keys(settingsOf) as SettingsSection[];
  const unsaved: SettingsView[] = sections.filter(
    (section) => Object.keys(changesIn(section, settings, draft)).length > 0,
  );
  if (isChangedQuota(quotas, quotaDraft)) unsaved.push('quotas');
  return (
    <div className={styles.layout}>
      <SettingsNav current={view} unsaved={unsaved} />
      {view === 'general' && <General tenant={tenant} mayChange={mayChange && isInstallation} />}
      {view === 'quotas' && (
        <Quotas
          tenantId={tenant.id}
          usage={quotas}
          draft={quotaDraft}
          mayChange={mayChange && isInstallation}
          onDraft={setQuotaDraft}
        />
      )}
      {view !== 'general' && view !== 'quotas' && (
        <SettingsForm
          key={view}
          tenantId={tenant.id}
          section={view}
          settings={settings}
          draft={draft}
          mayChange={mayChange}
          onDraft={setDraft}
        />
      )}
    </div>
  );
}
