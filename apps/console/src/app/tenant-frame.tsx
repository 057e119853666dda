import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { buttonClass } from '../components/button';
import { Missing } from '../components/screen';
import { Loading } from '../components/states';
import { isNotFound } from '../data/api';
import { tenantQuery } from '../data/tenants';
import { lastTenant } from './preferences';
import { Shell } from './shell';

const form = /^ten_[0-9a-hjkmnp-tv-z]{26}$/;

/**
 * The frame of all screens of a tenant that exists. The screens of another one would send requests that all fail, so none
 * is shown until the tenant is known; the one that was open last is known already.
 */
export function TenantFrame() {
  const { tenantId } = useParams({ from: '/signed-in/$tenantId' });
  const isPossible = form.test(tenantId);
  const { data, error } = useQuery({ ...tenantQuery(tenantId), enabled: isPossible });
  useEffect(() => {
    if (data) lastTenant.set(data.id);
  }, [data]);
  if (!isPossible || isNotFound(error)) return <NoTenant id={tenantId} />;
  if (!data && !error && lastTenant.get() !== tenantId) return <Loading rows={8} />;
  return <Shell tenantId={tenantId} />;
}

function NoTenant({ id }: { id: string }) {
  return (
    <main>
      <Missing
        title={`There is no tenant ${id}`}
        action={
          <>
            <Link to="/tenants" className={buttonClass({ look: 'primary' })}>
              All tenants
            </Link>
            <Link to="/" className={buttonClass()}>
              Home
            </Link>
          </>
        }
      >
        The address may be wrong, or the tenant was deleted.
      </Missing>
    </main>
  );
}
