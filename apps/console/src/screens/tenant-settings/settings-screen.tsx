import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ApprovalBanner } from '../../components/approval-banner';
import { ConfirmButton, FormButton } from '../../components/dialog';
import { TextField } from '../../components/fields';
import { Section } from '../../components/page';
import { NotLoaded, Screen } from '../../components/screen';
import { Facts, IdChip, StatusBadge, Time } from '../../components/values';
import { call, type QuotaUsage, read, type Tenant } from '../../data/api';
import { tenantQuery } from '../../data/queries';
import { type SettingsView, settingsViews } from '../../data/searches';
import { useMay, useSession } from '../../data/session';
import styles from './settings.module.css';
import { Quotas, SettingsForm } from './settings-form';
import {
  changesIn,
  isChangedQuota,
  type QuotaInput,
  type Settings,
  type SettingsDraft,
  type SettingsSection,
  sections,
  viewNames,
} from './settings-input';

const route = getRouteApi('/signed-in/$tenantId/settings');

/** Name and state of the tenant, its rules for dates and operators, and its limits. */
export function SettingsScreen() {
  const { tenantId } = route.useParams();
  const { view = 'general' } = route.useSearch();
  const tenant = useQuery(tenantQuery(tenantId));
  const settings = useQuery(read('settings', 'GET /settings', { tenantId }));
  const quotas = useQuery(read('quotas', 'GET /quotas', { tenantId }));
  if (!tenant.data || !settings.data || !quotas.data)
    return <NotLoaded query={[tenant, settings, quotas].find(({ error }) => error) ?? tenant} />;
  const isQuotas = view === 'quotas';
  return (
    <Screen
      title={tenant.data.name}
      beside={<StatusBadge status={tenant.data.suspended_at ? 'suspended' : 'active'} />}
      description={<IdChip id={tenantId} />}
      api={isQuotas ? '/quotas' : '/settings'}
      cli={isQuotas ? 'idsync tenants quotas show' : 'idsync export'}
      json={isQuotas ? quotas.data : settings.data}
    >
      <ApprovalBanner
        actions={['updateSettings', 'replaceOperatorPolicy', 'replaceLifecyclePolicy', 'confirmOperation']}
      />
      <Sections key={tenantId} view={view} tenant={tenant.data} settings={settings.data} quotas={quotas.data} />
    </Screen>
  );
}

interface SectionsProps {
  view: SettingsView;
  tenant: Tenant;
  settings: Settings;
  quotas: QuotaUsage;
}

/** The current section beside the list of all. Entries in the others are kept here until they are saved. */
function Sections({ view, tenant, settings, quotas }: SectionsProps) {
  const { name, created_at, suspended_at } = tenant;
  const [draft, setDraft] = useState<SettingsDraft>({});
  const [quotaDraft, setQuotaDraft] = useState<QuotaInput>({});
  const mayChange = useMay('admin');
  // Operators of all tenants also change names and quotas.
  const mayManage = !useSession().actor.tenants && mayChange;
  const isUnsaved = (section: SettingsView) =>
    section === 'quotas'
      ? isChangedQuota(quotas, quotaDraft)
      : section in sections && Object.keys(changesIn(section as SettingsSection, settings, draft)).length > 0;
  return (
    <div className={styles.layout}>
      <nav className={styles.nav} aria-label="Sections of the settings">
        {settingsViews.map((each) => (
          <Link
            key={each}
            from="/$tenantId/settings"
            to="."
            search={{ view: each === 'general' ? undefined : each }}
            className={styles.section}
            // The parameter of the URL alone decides which section is current.
            activeOptions={{ exact: true, includeSearch: true, explicitUndefined: true }}
            aria-current={each === view ? 'page' : undefined}
            resetScroll={false}
          >
            {viewNames[each]}
            {isUnsaved(each) && (
              <span className={styles.unsaved} title="Not saved">
                <span className="visually-hidden"> (not saved)</span>
              </span>
            )}
          </Link>
        ))}
      </nav>
      {view === 'general' ? (
        <Section title={viewNames.general} actions={mayManage && <TenantActions tenant={tenant} />}>
          <Facts
            items={[
              ['Name', name],
              ['Suspended since', suspended_at && <Time key="suspended" at={suspended_at} />],
              ['Created', <Time key="created" at={created_at} />],
            ]}
          />
        </Section>
      ) : view === 'quotas' ? (
        <Quotas usage={quotas} draft={quotaDraft} mayChange={mayManage} onDraft={setQuotaDraft} />
      ) : (
        <SettingsForm
          key={view}
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

const refresh = ['tenants'];

/** Renames, suspends and resumes a tenant. */
function TenantActions({ tenant }: { tenant: Tenant }) {
  const [name, setName] = useState(tenant.name);
  const isSuspended = tenant.suspended_at !== undefined;
  const action = isSuspended ? 'Resume' : 'Suspend';
  const change = (body: { name?: string; suspended?: boolean }) => call('PATCH ', { tenantId: tenant.id }, body);
  const rename = async () => {
    await change({ name: name.trim() });
    return undefined;
  };
  return (
    <>
      <FormButton
        label="Rename…"
        title="Rename the tenant"
        action="Rename"
        isReady={name.trim() !== ''}
        done="Renamed."
        refresh={refresh}
        onOpen={() => setName(tenant.name)}
        onSubmit={rename}
      >
        <TextField label="Name" value={name} onChange={setName} maxLength={200} dir="auto" />
      </FormButton>
      <ConfirmButton
        label={`${action}…`}
        title={`${action} ${tenant.name}?`}
        action={action}
        danger={!isSuspended}
        done={isSuspended ? 'Resumed.' : 'Suspended.'}
        refresh={refresh}
        onConfirm={() => change({ suspended: !isSuspended })}
      >
        <p>
          {isSuspended
            ? 'Its keys work again, and its sources are read again by their schedules.'
            : 'Its keys answer 403, and no source is read. Nothing is deleted; it can be resumed at any time.'}
        </p>
      </ConfirmButton>
    </>
  );
}
